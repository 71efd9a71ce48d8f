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
  cp "$ROOT/LICENSE" "$made/typescript/"

  local path changed=()
  for path in typescript/{src/generated,LICENSE}; do
    diff --recursive "$ROOT/clients/$path" "$made/$path" >/dev/null && continue
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
