#!/usr/bin/env bash
# tools/apt-install.sh PACKAGE…: installs Debian packages, one clone at a time.
set -euo pipefail
export PATH=${SNAPSHOTTER_HOST_PATH:-$PATH}
export DEBIAN_FRONTEND=noninteractive
apt-get -o DPkg::Lock::Timeout=300 update
apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "$@"
