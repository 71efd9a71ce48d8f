#!/usr/bin/env bash
# tools/schemathesis/run.sh ARGUMENT…: runs schemathesis.
set -euo pipefail

HERE=$(cd "$(dirname "$0")" && pwd)
SCHEMATHESIS_HOOKS=$HERE/hooks.py exec "$HERE/../python.sh" "$HERE" -m schemathesis.cli --config-file "$HERE/schemathesis.toml" "$@"
