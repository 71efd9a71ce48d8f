#!/usr/bin/env bash
# tools/python.sh DIRECTORY ARGUMENT…: runs python3 with the packages of DIRECTORY/requirements.txt. The first run
# installs them into the shared cache.
# requirements.txt: pip-compile --generate-hashes --strip-extras --no-annotate --no-header requirements.in
set -euo pipefail
# shellcheck source=tools/lib.sh
source "$(dirname "$0")/lib.sh"

main() {
  local requirements name version dir
  requirements=$(realpath "$1")/requirements.txt name=$(basename "$(realpath "$1")")
  shift
  command -v python3 >/dev/null || debian_packages python3
  version=$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  at_least "$version" 3.11 || die "python3 is $version; install Python 3.11 or newer"
  # Some packages are compiled for one version of Python.
  dir=$CACHE/tools/$name-$(hash_of "$requirements")-py$version
  provide "$dir" "Python packages of $name" install "$requirements"
  PYTHONPATH=$dir${PYTHONPATH:+:$PYTHONPATH} exec python3 "$@"
}

install() {
  python3 -m pip --version >/dev/null 2>&1 || debian_packages python3-pip
  python3 -m pip install --no-deps --require-hashes --only-binary :all: --no-compile --disable-pip-version-check --target "$2" \
    --requirement "$1"
}

debian_packages() {
  [[ -f /etc/debian_version && $(id -u) == 0 ]] || die "$* is missing; install Python 3.11 or newer with pip"
  "$ROOT/tools/apt-install.sh" "$@"
  link_host_programs
}

main "$@"
