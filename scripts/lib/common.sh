# shellcheck shell=bash
# What every command of scripts/mk shares: messages, the toolchain, and calls into it.

: "${root:?}"

scratch="${MK_SCRATCH:-$root/.build}"
# Where generated inputs, other systems and peers of the benchmark are kept.
# shellcheck disable=SC2034  # used by the sourced commands
cache="${XDG_CACHE_HOME:-$HOME/.cache}/mediakit"

say() {
    printf '%s\n' "mk: $*" >&2
}

die() {
    say "$*"
    exit 1
}

# Puts Swift in PATH, from the usual places when it is not there already.
require_swift() {
    command -v swift >/dev/null && return
    local bin
    for bin in "${SWIFT_HOME:+$SWIFT_HOME/bin}" /opt/swift*/usr/bin /usr/share/swift*/usr/bin \
        "$HOME/.local/share/swiftly/bin" "$HOME"/swift*/usr/bin /usr/libexec/swift/bin; do
        if [ -n "$bin" ] && [ -x "$bin/swift" ]; then
            export PATH="$bin:$PATH"
            return
        fi
    done
    die "Swift 6.1 or later was not found. Install it (https://www.swift.org/install/linux)," \
        "then put its usr/bin folder in PATH or name its usr folder in SWIFT_HOME."
}

swift_build() {
    swift build --package-path "$root" --scratch-path "$scratch" "$@"
}

# Runs the tests with a limit on the whole run, since a hung test never ends by itself. The start of
# each case of a test is not shown; the start of each test is, so that a hung one can be named.
swift_test() {
    timeout --kill-after=10 "${MK_TEST_TIMEOUT:-900}" swift test --disable-xctest \
        --package-path "$root" --scratch-path "$scratch" "$@" </dev/null 2>&1 |
        grep --line-buffered -v '^◇ Test case '
}

# The repository's text files that match the patterns, NUL-separated, relative to the root.
sources_of() {
    git -C "$root" ls-files -z --cached --others --exclude-standard --deduplicate -- "$@" |
        while IFS= read -r -d '' file; do
            [ ! -f "$root/$file" ] || printf '%s\0' "$file"
        done
}
