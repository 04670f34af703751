# shellcheck shell=bash
# The documents that the program prints from its own tables: written, or compared.

: "${root:?}" "${scratch:?}"

# verb of the program, file that holds what it prints
generated=(
    "lua-stub scripts/meta/mediakit.gen.lua"
    "lua-docs docs/lua-api.gen.md"
    "option-docs docs/options.gen.md"
    "error-docs docs/errors.gen.md"
)

docs() {
    local program="$scratch/debug/mediakit" entry verb file fresh stale=0
    setup run
    build debug >&2
    fresh="$(mktemp -d)"
    # shellcheck disable=SC2064  # the folder's name is known now
    trap "rm -rf '$fresh'" EXIT
    for entry in "${generated[@]}"; do
        read -r verb file <<<"$entry"
        "$program" "$verb" >"$fresh/text" || die "docs: 'mediakit $verb' failed"
        if [ "${1:-}" != --check ]; then
            mkdir -p "$(dirname "$root/$file")"
            cp "$fresh/text" "$root/$file"
            say "docs: wrote $file"
        elif ! diff -u --label "$file" --label "mediakit $verb" "$root/$file" "$fresh/text"; then
            stale=1
        fi
    done
    [ "$stale" -eq 0 ] || die "docs: stale; run scripts/mk docs"
    [ "${1:-}" != --check ] || say "docs: fresh"
}
