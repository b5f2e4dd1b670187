#!/usr/bin/env bash
# Tries Warnet without a cluster, on this machine, as root: the image, helm's rendering of Warnet's chart, podman's pods, the scenario.
#
#   contrib/network/try.sh [BUILD] [OUT]
#
# Four nodes, one of them plain: activation, then full blocks of two sets, a reorganization and a flood, with the report in OUT
# (default: build/network). BUILD has slhtool and make_chain (default: build/release).
# Exit status 77: podman, helm or the node is not here, or warnet cannot be had.
set -euo pipefail
unset CDPATH
root=$(cd "$(dirname "$0")/../.." && pwd)
here=$root/contrib/network
build=$(cd "${1:-$root/build/release}" && pwd)
mkdir -p "${2:-$root/build/network}"
out=$(cd "${2:-$root/build/network}" && pwd)
skip() { echo "SKIPPED: $*"; exit 77; }
for program in podman mmdebstrap runc; do command -v "$program" >/dev/null || skip "there is no $program"; done
[ -e "${SLHC_NODE:-$root/build/node}/bin/bitcoind" ] || skip "there is no node (contrib/bitcoin-core/build.sh makes it)"
[ "$(id -u)" = 0 ] || skip "podman's network here needs root"
export HELM=${HELM:-$(command -v helm || echo "$root/build/helm/helm")}
[ -x "$HELM" ] || skip "there is no helm (GOBIN=$root/build/helm go install helm.sh/helm/v3/cmd/helm@v3.16.4 makes it)"
if ! python3 -c 'import resources.charts, kubernetes, requests' 2>/dev/null; then
  export SLHC_REQUIREMENTS=$here/requirements.txt SLHC_IMPORTS="kubernetes, requests, resources.charts, yaml"
  exec "$root/contrib/python/with-env.sh" "${SLHC_NETWORK_ENV:-$root/build/network-env}" "$(command -v python3)" "$0" "$@"
fi
unset SLHC_REQUIREMENTS SLHC_IMPORTS # experiment.py has an environment of its own
export CONTAINERS_CONF=$out/containers.conf
cat >"$CONTAINERS_CONF" <<'END'
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
log_driver = "k8s-file"
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
END

"$here/build-image.sh" --built "$build" --debootstrap
size=$(podman image inspect --format '{{.Size}}' localhost/slhconsensus:31.99-slhdsa)
[ "$size" -le 150000000 ] || { echo "try.sh: the image has $size bytes" >&2; exit 1; }
podman run --rm slhconsensus:31.99-slhdsa sh -c 'python3 -c "import slhconsensus" && slhtool devices' >"$out/devices.txt"
pods() { python3 -B "$here/pods.py" "$@"; }
ran() { # NETWORK_OPTION... -- SCENARIO_OPTION...
  local network=()
  while [ "$1" != -- ]; do network+=("$1"); shift; done
  shift
  rm -rf "$out/net" "$out/pods"
  python3 -B "$here/warnet/network.py" "$out/net" --nodes 4 --plain 1 "${network[@]}"
  pods render "$out/net" "$out/pods"
  trap 'pods down "$out/pods"' EXIT
  pods up "$out/pods"
  pods run "$out/pods" "$here/warnet/slh_network.py" "$@"
  pods down "$out/pods"
  trap - EXIT
}
ran --signal -- --only activation --out "$out/activation.json" >"$out/activation.log"
ran -- --spends 128s,128-24 --blocks 2 --flood 20 --out "$out/pods.json" >"$out/pods.log"
"$root/contrib/bitcoin-core/experiment.py" --show "$out/activation.json" "$out/pods.json" --out "$out/report"
