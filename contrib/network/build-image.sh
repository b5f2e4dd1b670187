#!/usr/bin/env bash
# Builds the image slhconsensus:31.99-slhdsa with podman or docker.
#
#   contrib/network/build-image.sh [--built BUILD] [--base IMAGE | --debootstrap]
#
#   --built BUILD   take build/node, and slhtool and make_chain of this build tree, instead of compiling in the image: on the same
#                   release of Debian as the base
#   --base IMAGE    instead of docker.io/library/debian:bookworm-slim
#   --debootstrap   make the base from Debian's packages with mmdebstrap: where no registry can be reached
#
# Warnet's chart compares the tag as a version; one with a dash is a build of one's own. $SLHC_NODE may name another folder than build/node.
set -euo pipefail
unset CDPATH
root=$(cd "$(dirname "$0")/../.." && pwd)
usage() { echo "build-image.sh: $* (usage: build-image.sh [--built BUILD] [--base IMAGE | --debootstrap])" >&2; exit 2; }
tag=slhconsensus:31.99-slhdsa built='' base=docker.io/library/debian:bookworm-slim
while [ $# -gt 0 ]; do
  case "$1" in
    --built | --base) [ $# -gt 1 ] || usage "$1 wants a value"; if [ "$1" = --base ]; then base=$2; else built=$2; fi; shift ;;
    --debootstrap) base=localhost/slhconsensus-base ;;
    *) usage "unknown argument '$1'" ;;
  esac
  shift
done
engine=$(command -v podman || command -v docker) || usage "there is neither podman nor docker"
context=$(mktemp -d)
trap 'rm -rf "$context"' EXIT

if [ "$base" = localhost/slhconsensus-base ] && ! "$engine" image inspect "$base" >/dev/null 2>&1; then
  packages=$(sed -n 's/^ARG PACKAGES="\(.*\)"/\1/p' "$root/contrib/network/Containerfile")
  mmdebstrap --quiet --variant=minbase --include="${packages// /,}" --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr \
    --aptopt='APT::Install-Recommends "false"' \
    --customize-hook='cd "$1/usr/share" && rm -rf doc man locale info zoneinfo' bookworm "$context/base.tar"
  "$engine" import "$context/base.tar" "$base"
  rm "$context/base.tar"
fi
if [ -n "$built" ]; then
  "$root/contrib/network/collect.sh" "$context/image" "${SLHC_NODE:-$root/build/node}" "$built"
else
  git -C "$root" archive HEAD | tar -x -C "$context"
fi
cp "$root/contrib/network/Containerfile" "$context/"
"$engine" build --quiet --build-arg BASE="$base" --tag "$tag" "$context"
"$engine" image inspect --format "$tag: {{.Size}} bytes" "$tag"
