#!/bin/bash
# package.sh: Trawl as Debian packages, in build-package/, built and checked.
#
#   tools/package.sh            the packages without CUDA
#   tools/package.sh --cuda     and trawl-cuda, where nvcc is (debian/rules)
#   tools/package.sh --quick    without the tests in the build: who calls has run them
#   tools/package.sh --install  and then installs them, in a Debian made by debootstrap for that alone, and runs
#                               debian/tests there by autopkgtest; as root
#
# Built from a copy of what git tracks or does not ignore, so that nothing of debian/ stays here. Then
# lintian, which must find no error, and what debian/tests has, with the packages unpacked in a folder.
set -euo pipefail
cd "$(dirname "$0")/.."
source=$PWD
. tools/packages.sh

quick='' profiles='' install=false
for option; do
    case $option in
        --cuda) profiles=pkg.trawl.cuda ;;
        --quick) quick=nocheck ;;
        --install) install=true ;;
        -h | --help) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"; exit 0 ;;
        *) die "unknown option '$option'; see tools/package.sh --help" ;;
    esac
done
work=$source/build-package
rm -rf "$work"
mkdir -p "$work/source" "$work/root"

heading() { printf '\n== %s\n' "$*"; }

need_packages "building packages" build-essential debhelper lintian
copy_project "$work/source"
cd "$work/source"
jobs=$(nproc)
export DEB_BUILD_OPTIONS="parallel=$jobs $quick" DEB_BUILD_PROFILES="$profiles"
# A Python of the user's in front of the system's has not the modules that packages bring.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin:$PATH
unset CFLAGS LDFLAGS MAKEFLAGS
dpkg-checkbuilddeps 2>/dev/null || apt_quiet as_root apt-get -qq -y --no-install-recommends build-dep ./

heading "dpkg-buildpackage"
dpkg-buildpackage -us -uc -b
cd "$work"

heading "lintian"
root_too=''
[ "$(id -u)" != 0 ] || root_too=--allow-root
# shellcheck disable=SC2086
lintian $root_too --fail-on error ./*.changes

heading "the packages, unpacked"
for package in *.deb; do
    dpkg -x "$package" root
done
ls -l ./*.deb
LD_LIBRARY_PATH=$(dirname root/usr/lib/*/libtrawl.so.3)
export LD_LIBRARY_PATH=$work/$LD_LIBRARY_PATH
python3 source/tests/cli/readme_fields.py root/usr/bin/trawl source/README.md
bash source/tools/consumer.sh root/usr "$work/consumer"
PYTHONPATH=$work/root/usr/lib/python3/dist-packages /usr/bin/python3 source/tools/installed.py

if $install; then
    heading "autopkgtest, in a Debian of its own"
    unset LD_LIBRARY_PATH
    need_packages "a Debian of its own" autopkgtest debootstrap
    as_root debootstrap --variant=minbase "$(. /etc/os-release && echo "$VERSION_CODENAME")" debian >debootstrap.log ||
        die "debootstrap made none; see build-package/debootstrap.log"
    as_root autopkgtest --no-built-binaries ./*.deb source// -- chroot "$work/debian"
    as_root rm -rf debian
fi
