#!/usr/bin/env bash
# tools/schemathesis/run.sh ARGUMENT…: runs schemathesis. The first run installs it into the shared cache.
# requirements.txt: pip-compile --generate-hashes --strip-extras --no-annotate --no-header requirements.in
set -euo pipefail
# shellcheck source=tools/lib.sh
source "$(dirname "$0")/../lib.sh"

HERE=$ROOT/tools/schemathesis

main() {
  command -v python3 >/dev/null || debian_packages python3
  local version dir
  version=$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  at_least "$version" 3.11 || die "python3 is $version; install Python 3.11 or newer"
  # Some of its packages are compiled for one version of Python.
  dir=$CACHE/tools/schemathesis-$(hash_of "$HERE/requirements.txt")-py$version
  provide "$dir" "schemathesis" install
  PYTHONPATH=$dir SCHEMATHESIS_HOOKS=$HERE/hooks.py exec python3 -m schemathesis.cli --config-file "$HERE/schemathesis.toml" "$@"
}

install() {
  python3 -m pip --version >/dev/null 2>&1 || debian_packages python3-pip
  python3 -m pip install --no-deps --require-hashes --only-binary :all: --no-compile --disable-pip-version-check --target "$1" \
    --requirement "$HERE/requirements.txt"
}

debian_packages() {
  [[ -f /etc/debian_version && $(id -u) == 0 ]] || die "$* is missing; install Python 3.11 or newer with pip"
  "$ROOT/tools/apt-install.sh" "$@"
  link_host_programs
}

main "$@"
