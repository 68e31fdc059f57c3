# shellcheck shell=bash
# packages.sh: Debian packages for ./demo and ./check; sourced by both, bash.
#
#   need_packages WHAT PACKAGE...   install what is missing of PACKAGE..., or stop and say
#                                   which packages to install by hand
#   need_compiler                   what it takes to build Trawl
#   copy_project DIR                copy the files of this folder that are the project's to DIR: what
#                                   git tracks or does not ignore; without git, all but builds
#   package_file PACKAGE PATH DIR   print where the file PATH of PACKAGE lies: on this
#                                   system, or unpacked under DIR (nothing is installed)
#
# Only what is missing is installed, without recommended packages and without questions.

export DEBIAN_FRONTEND=noninteractive

say() { printf '%s\n' "$*" >&2; }
die() { say "$0: $*"; exit 1; }

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    else
        sudo env DEBIAN_FRONTEND=noninteractive "$@"
    fi
}

is_installed() {
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# Run apt-get, quiet unless it fails; package lists are fetched when it fails at first.
apt_quiet() { # [as_root] apt-get ...
    local log
    log=$(mktemp)
    if "$@" >"$log" 2>&1 </dev/null ||
        { as_root apt-get -qq update >>"$log" 2>&1 </dev/null && "$@" >>"$log" 2>&1 </dev/null; }
    then
        rm -f "$log"
    else
        tail -n 20 "$log" >&2
        rm -f "$log"
        return 1
    fi
}

need_packages() { # WHAT PACKAGE...
    local what=$1 missing=() package
    shift
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        say "No apt-get here. For $what this uses what the Debian packages $* bring."
        return 0
    fi
    for package; do
        is_installed "$package" || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    [ "$(id -u)" = 0 ] || command -v sudo >/dev/null ||
        die "$what needs packages, and this is neither root nor is there sudo;" \
            "as root run: apt-get install ${missing[*]}"
    say "Installing for $what: ${missing[*]}"
    apt_quiet as_root apt-get -qq -y -o DPkg::Lock::Timeout=300 --no-install-recommends \
        install "${missing[@]}" ||
        die "could not install them; as root run: apt-get install ${missing[*]}"
}

need_compiler() {
    need_packages "the build" gcc libc6-dev make cmake pkg-config libpng-dev libjansson-dev \
        zlib1g-dev libarchive-dev libhts-dev libpcap-dev libtiff-dev libjpeg62-turbo-dev libwebp-dev
}

copy_project() { # DIR
    if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
        git ls-files --cached --others --exclude-standard
    else
        find . -path './build*' -prune -o -type f -print
    fi | while IFS= read -r file; do
        [ ! -f "$file" ] || printf '%s\n' "$file"
    done | tar -cf - -T - | tar -xf - -C "$1"
}

package_file() { # PACKAGE PATH DIR
    local package=$1 path=$2 dir=$3
    if [ -r "$path" ]; then
        echo "$path"
        return 0
    fi
    if [ ! -r "$dir$path" ]; then
        say "Fetching the Debian package $package"
        mkdir -p "$dir"
        (cd "$dir" && apt_quiet apt-get -qq -o APT::Sandbox::User=root download "$package" &&
            dpkg-deb -x "${package}"_*.deb . && rm -f "${package}"_*.deb) ||
            die "could not fetch it; as root run: apt-get install $package"
    fi
    [ -r "$dir$path" ] || die "$path is not in the package $package"
    echo "$dir$path"
}
