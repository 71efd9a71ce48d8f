#!/usr/bin/env bash
# clients/generate.sh [--check]: writes the generated code of the clients, their copies of the license, and
# docs/openapi-3.0.json. With --check, it fails if that would change a file.
set -euo pipefail
# shellcheck source=tools/lib.sh
source "$(dirname "$0")/../tools/lib.sh"

main() {
  local made
  made=$(mktemp -d)
  # shellcheck disable=SC2064 # the name of now
  trap "rm -rf '$made'" EXIT
  node "$ROOT/clients/typescript/generate.ts" "$made/clients/typescript/src/generated"
  "$ROOT/tools/python.sh" "$ROOT/clients/python" "$ROOT/clients/python/generate.py" "$made/clients/python/src/snapshotter_client/generated"
  cp "$ROOT/LICENSE" "$made/clients/typescript/"
  cp "$ROOT/LICENSE" "$made/clients/python/"
  mkdir "$made/docs"
  node "$ROOT/clients/openapi-3.0.ts" "$made/docs/openapi-3.0.json"

  local path changed=()
  for path in clients/{typescript/src,python/src/snapshotter_client}/generated clients/{typescript,python}/LICENSE docs/openapi-3.0.json; do
    diff --recursive --exclude=__pycache__ "$ROOT/$path" "$made/$path" >/dev/null 2>&1 && continue
    changed+=("$path")
    [[ ${1:-} != --check ]] || continue
    rm -rf "${ROOT:?}/$path"
    cp --recursive "$made/$path" "$ROOT/$path"
  done
  ((${#changed[@]} == 0)) && return
  [[ ${1:-} != --check ]] || die "out of date: ${changed[*]}. Run \`make clients\`, and read git diff."
  say "written: ${changed[*]}"
}

main "$@"
