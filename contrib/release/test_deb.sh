#!/usr/bin/env bash
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
#
# Makes the Debian packages and tests them in a fresh chroot of this Debian: lintian finds no error, their dependencies are found, slhtool
# runs, contrib/example-c is built against the library with CMake and with pkg-config and runs, and after their removal nothing is left.
#
#   contrib/release/test_deb.sh [FOLDER] [NAME=VALUE...]
#
# FOLDER (default: build/deb) is the build folder; the packages are made in FOLDER/packages. NAME=VALUE is for CMake. Needs root, mmdebstrap, dpkg-dev and
# lintian, and Debian's mirror. 77 (skipped) without them.
set -euo pipefail
unset CDPATH
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$root/build/deb
case ${1:-} in "" | *=*) ;; *) folder=$1; shift ;; esac
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
# What is removed must have been made here.
if [ "$folder" != "$root/build/deb" ] && [ ! -e "$folder/.test_deb" ] && [ -n "$(ls -A "$folder")" ]; then
  echo "test_deb.sh: $folder is not empty, and was not made by this script" >&2
  exit 2
fi
touch "$folder/.test_deb"
chroot=$folder/chroot
skip() { echo "SKIPPED: $1"; exit 77; }
fail() { echo "test_deb.sh: $1" >&2; [ -z "${2:-}" ] || tail -n 20 "$2" >&2; exit 1; }
[ "$(id -u)" -eq 0 ] || skip "needs root"
for program in mmdebstrap dpkg-shlibdeps cpack lintian; do command -v $program >/dev/null || skip "there is no $program"; done
# shellcheck source=/dev/null
. /etc/os-release

cmake -S "$root" -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr -DSLHC_BUILD_TESTS=OFF "${@/#/-D}" \
  >"$folder/build.log" 2>&1 || fail "cmake failed" "$folder/build.log"
cmake --build "$folder" --parallel "$("$root/contrib/jobs.sh")" >>"$folder/build.log" 2>&1 || fail "the build failed" "$folder/build.log"
rm -rf --one-file-system "$folder/packages" "$chroot"
cpack --config "$folder/CPackConfig.cmake" -G DEB -B "$folder/packages" >"$folder/cpack.log" 2>&1 || fail "cpack failed" "$folder/cpack.log"
packages=("$folder"/packages/*.deb)
names=()
for package in "${packages[@]}"; do
  names+=("$(dpkg-deb --field "$package" Package)")
  echo "$(basename "$package"): depends on $(dpkg-deb --field "$package" Depends)"
  # root's, no matter who built it, and nobody else's to write
  if dpkg-deb --contents "$package" | grep -vE '^(-rw-r--r--|-rwxr-xr-x|drwxr-xr-x|lrwxrwxrwx) root/root '; then
    fail "files of others, or that others can write"
  fi
done
lintian --allow-root --fail-on error "${packages[@]}" || fail "lintian finds errors"

# From the mirror that mmdebstrap takes for this release of Debian.
mmdebstrap --variant=apt --include=cmake,g++,make,pkg-config "$VERSION_CODENAME" "$chroot" >"$folder/mmdebstrap.log" 2>&1 ||
  { tail -n 5 "$folder/mmdebstrap.log"; skip "mmdebstrap cannot make a chroot here"; }
inside() { chroot "$chroot" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
apt() { inside apt-get "$@" -y --no-install-recommends >>"$folder/apt.log" 2>&1; }
# Every file, but for what belongs to apt, dpkg and the dynamic linker, whose tables any package changes
everything() {
  (cd "$chroot" && find . \( -path ./var/lib/dpkg -o -path ./var/lib/apt -o -path ./var/cache -o -path ./var/log -o -path ./tmp \
    -o -path ./etc/ld.so.cache \) -prune -o -print | sort)
}

: >"$folder/apt.log"
mkdir "$chroot/tmp/packages"
cp "${packages[@]}" "$chroot/tmp/packages/"
cp -r "$root/contrib/example-c" "$chroot/tmp/"
# What they depend on first; that may stay.
depends=$(for package in "${packages[@]}"; do dpkg-deb --field "$package" Depends; done | tr ',' '\n' | sed 's/(.*//; s/|.*//' | grep -v slhconsensus | sort -u)
inside apt-get update >>"$folder/apt.log" 2>&1 || fail "no lists of packages" "$folder/apt.log"
# shellcheck disable=SC2086 # a list
apt install $depends || fail "their dependencies cannot be installed" "$folder/apt.log"
everything >"$folder/before"
apt install $(printf '/tmp/packages/%s ' "${packages[@]##*/}") || fail "they cannot be installed" "$folder/apt.log"
for name in "${names[@]}"; do
  inside dpkg --verify "$name" | grep . && fail "$name: files differ from the package's"
done
inside ldconfig -p | grep -E 'libslhconsensus\.so\.[0-9.]+ ' >/dev/null || fail "the dynamic linker does not know the library"

inside slhtool --version
inside sh -ec 'cd /tmp && slhtool keygen a.key >/dev/null && slhtool sign --key a.key --message 00ff --out a.sig >/dev/null &&
  slhtool verify --public-key @a.key --message 00ff --signature @a.sig && slhtool demo >demo.log' || fail "slhtool fails"
inside sh -ec 'cd /tmp && cmake -S example-c -B example >example.log && cmake --build example >>example.log &&
  example/verify_batch && example/verify_batch_static' || fail "the example fails" "$chroot/tmp/example.log"
inside sh -ec 'cd /tmp && cc -std=c99 example-c/verify_batch.c -o by_pkg_config $(pkg-config --cflags --libs slhconsensus) && ./by_pkg_config' ||
  fail "the example fails with pkg-config"

apt purge "${names[@]}" || fail "they cannot be removed" "$folder/apt.log"
everything >"$folder/after"
diff "$folder/before" "$folder/after" || fail "their removal leaves files, or takes others"
rm -rf --one-file-system "$chroot"
echo "${names[*]}: installed, run, compiled against and removed in $PRETTY_NAME; no file is left"
