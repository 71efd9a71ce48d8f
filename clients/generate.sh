#!/usr/bin/env bash
# clients/generate.sh [--check]: writes the generated code of the clients, and their copies of the license. With --check,
# it fails if that would change a file.
set -euo pipefail
# shellcheck source=tools/lib.sh
source "$(dirname "$0")/../tools/lib.sh"

main() {
  local made
  made=$(mktemp -d)
  # shellcheck disable=SC2064 # the name of now
  trap "rm -rf '$made'" EXIT
  node "$ROOT/clients/typescript/generate.ts" "$made/typescript/src/generated"
  "$ROOT/tools/python.sh" "$ROOT/clients/python" "$ROOT/clients/python/generate.py" "$made/python/src/snapshotter_client/generated"
  cp "$ROOT/LICENSE" "$made/typescript/"
  cp "$ROOT/LICENSE" "$made/python/"

  local path changed=()
  for path in {typescript/src,python/src/snapshotter_client}/generated {typescript,python}/LICENSE; do
    diff --recursive --exclude=__pycache__ "$ROOT/clients/$path" "$made/$path" >/dev/null 2>&1 && continue
    changed+=("clients/$path")
    [[ ${1:-} != --check ]] || continue
    rm -rf "${ROOT:?}/clients/$path"
    cp --recursive "$made/$path" "$ROOT/clients/$path"
  done
  ((${#changed[@]} == 0)) && return
  [[ ${1:-} != --check ]] || die "out of date: ${changed[*]}. Run \`make clients\`, and read git diff."
  say "written: ${changed[*]}"
}

main "$@"
