# shellcheck shell=bash
# Installs what the project needs with apt; does nothing, quickly, when it is all there.

: "${root:?}" "${scratch:?}"

# What compiling and running needs: the C libraries, and what Swift's own tools link to.
run_packages=(
    libavcodec-dev libavfilter-dev libavformat-dev libavutil-dev
    libswresample-dev libswscale-dev
    libebur128-dev libjansson-dev liblua5.4-dev libssl-dev
    g++ git libc6-dev libncurses6 libsqlite3-0 libxml2 make pkg-config zlib1g
)

# What the tests, the checks and the measurements use beyond that.
test_packages=(
    espeak-ng ffmpeg file lua-check lua5.4 openssl procps python3 python3-venv
    shellcheck time util-linux
)

# Packages whose names depend on the Debian release.
release_packages() {
    local codename=""
    # shellcheck source=/dev/null
    [ ! -r /etc/os-release ] || codename="$(. /etc/os-release && echo "${VERSION_CODENAME:-}")"
    case "$codename" in
        trixie | forky | sid) echo "libcurl4t64 binutils-gold" ;;
        *) echo "libcurl4 binutils" ;;
    esac
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo -E "$@"
    else
        die "root or sudo is needed to install packages: $*"
    fi
}

apt_install() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends \
        -o Dpkg::Use-Pty=0 -o Acquire::Retries=3 "$@" </dev/null >&2
}

# The VVC plugin; minutes the first time, where the system's FFmpeg has no VVC decoder.
build_vvc() {
    MK_SCRATCH="$scratch" make -s -C "$root/vvc" >&2
}

# setup run|test: makes sure that the packages of the group are installed.
setup() {
    local wanted=("${run_packages[@]}") missing=() extra=() name
    read -ra extra <<<"$(release_packages)"
    wanted+=("${extra[@]}")
    case "${1:-test}" in
        run) ;;
        test) wanted+=("${test_packages[@]}") ;;
        *) die "setup: unknown group '$1' (run or test)" ;;
    esac
    if ! command -v dpkg-query >/dev/null; then
        say "not a Debian system; these packages (or their like) are expected: ${wanted[*]}"
        return
    fi
    local -A installed=()
    while IFS= read -r name; do
        installed["$name"]=1
    done < <(dpkg-query -W -f '${db:Status-Abbrev}${Package}\n' "${wanted[@]}" 2>/dev/null |
        sed -n 's/^ii *//p')
    for name in "${wanted[@]}"; do
        [ -n "${installed[$name]:-}" ] || missing+=("$name")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    say "installing: ${missing[*]}"
    if ! apt_install "${missing[@]}" 2>/dev/null; then
        as_root apt-get update -q -o Acquire::Retries=3 </dev/null >&2
        apt_install "${missing[@]}" || die "apt could not install: ${missing[*]}"
    fi
}
