# shellcheck shell=bash
# Runs a command of scripts/mk inside a Debian 13 root, with this machine's Swift.

: "${root:?}" "${cache:?}" "${lib:?}"

trixie_root="$cache/trixie"
trixie_mirror="${MK_DEBIAN_MIRROR:-http://deb.debian.org/debian}"

# Makes the root once; a half-made one never stands under the final name.
trixie_make() {
    local fresh="$trixie_root.new"
    [ ! -e "$trixie_root/etc/os-release" ] || return 0
    command -v debootstrap >/dev/null || apt_install debootstrap ||
        die "trixie: debootstrap could not be installed"
    say "trixie: making a Debian 13 root in $trixie_root"
    mkdir -p "$cache"
    rm -rf "$fresh"
    debootstrap --variant=minbase --include=ca-certificates trixie "$fresh" "$trixie_mirror" \
        </dev/null >"$cache/trixie.log" 2>&1 || {
        tail -n 20 "$cache/trixie.log" >&2
        die "trixie: debootstrap failed"
    }
    mv "$fresh" "$trixie_root"
}

# The part that runs as root in a mount namespace of its own: what it mounts ends with it.
trixie_enter() {
    local swift_home="$1" shared
    shift
    mount --make-rprivate /
    mkdir -p "$trixie_root"/{opt/swift/usr,src/mediakit,src/shared}
    mount --bind "$swift_home" "$trixie_root/opt/swift/usr"
    mount --bind "$root" "$trixie_root/src/mediakit"
    shared="$(dirname "$root")/shared"
    [ ! -d "$shared" ] || mount --bind "$shared" "$trixie_root/src/shared"
    mount -t proc proc "$trixie_root/proc"
    mount -t sysfs -o ro sysfs "$trixie_root/sys"
    mount --rbind /dev "$trixie_root/dev"
    mount -t tmpfs tmpfs "$trixie_root/tmp"
    cp -L /etc/resolv.conf "$trixie_root/etc/resolv.conf"
    exec chroot "$trixie_root" /usr/bin/env -i -C /src/mediakit \
        HOME=/root LANG=C.UTF-8 PATH=/opt/swift/usr/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        MK_SCRATCH=/src/mediakit/.build/trixie ${CI:+CI="$CI"} \
        ${MK_TEST_TIMEOUT:+MK_TEST_TIMEOUT="$MK_TEST_TIMEOUT"} \
        /src/mediakit/scripts/mk "$@"
}

trixie() {
    [ $# -gt 0 ] || die "trixie: which command? (scripts/mk trixie test)"
    if [ "${MK_TRIXIE_SWIFT:-}" ]; then
        trixie_enter "$MK_TRIXIE_SWIFT" "$@"
    fi
    require_swift
    local swift_home
    swift_home="$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")"
    if [ "$(id -u)" -ne 0 ]; then
        exec sudo -E env "PATH=$PATH" "XDG_CACHE_HOME=${cache%/mediakit}" \
            "$root/scripts/mk" trixie "$@"
    fi
    trixie_make
    MK_TRIXIE_SWIFT="$swift_home" XDG_CACHE_HOME="${cache%/mediakit}" \
        unshare --mount -- "$root/scripts/mk" trixie "$@" </dev/null
}
