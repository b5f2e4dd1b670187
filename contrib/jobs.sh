#!/usr/bin/env bash
# Prints how many compilers or tests to run at a time: $CMAKE_BUILD_PARALLEL_LEVEL if it is set, else the processors that this
# process may use, which in a container with a limit of processor time are fewer than the machine has.
set -euo pipefail

if [ -n "${CMAKE_BUILD_PARALLEL_LEVEL:-}" ]; then
  echo "$CMAKE_BUILD_PARALLEL_LEVEL"
  exit
fi
jobs=$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN) # macOS has no nproc
# The limit of a control group: microseconds of processor time, and in how many.
quota=max period=100000
if [ -r /sys/fs/cgroup/cpu.max ]; then
  read -r quota period </sys/fs/cgroup/cpu.max || true
elif [ -r /sys/fs/cgroup/cpu/cpu.cfs_quota_us ]; then
  read -r quota </sys/fs/cgroup/cpu/cpu.cfs_quota_us
  read -r period </sys/fs/cgroup/cpu/cpu.cfs_period_us
fi
case "$quota" in
  '' | *[!0-9]*) ;; # "max" or -1: no limit
  *) limit=$(((quota + period - 1) / period))
     [ "$limit" -ge "$jobs" ] || jobs=$((limit > 0 ? limit : 1)) ;;
esac
echo "$jobs"
