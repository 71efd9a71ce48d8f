#!/usr/bin/env bash
# tools/apt-install.sh PACKAGE…: installs Debian packages, one run of apt at a time.
set -euo pipefail
export PATH=${SNAPSHOTTER_HOST_PATH:-$PATH}
export DEBIAN_FRONTEND=noninteractive

# Waits for our other runs: for the lock on its lists, apt itself does not wait. Services that a package starts do not
# get our lock (--close).
apt() { flock --close /run/snapshotter-apt.lock apt-get -o DPkg::Lock::Timeout=300 "$@"; }

apt update
apt install -y --no-install-recommends "$@"
