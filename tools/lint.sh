#!/usr/bin/env bash
# Formatting, lints, documentation and types, all with warnings denied.
set -euo pipefail
# shellcheck source=tools/lib.sh
source "$(dirname "$0")/lib.sh"
cd "$ROOT"

tools/setup.sh
step "rustfmt" cargo fmt --check
step "clippy, native" cargo clippy --locked --all-targets --features test-hooks -- -D warnings
step "clippy, wasm32" cargo clippy --locked --target wasm32-unknown-unknown --features test-hooks -- -D warnings
step "clippy, wasm32, as a crate" cargo clippy --locked --target wasm32-unknown-unknown --no-default-features -- -D warnings
step "clippy, tests/rust-worker" cargo clippy --locked --target wasm32-unknown-unknown --manifest-path tests/rust-worker/Cargo.toml \
  --target-dir target -- -D warnings
RUSTDOCFLAGS='-D warnings' step "cargo doc" cargo doc --locked --no-deps --target wasm32-unknown-unknown
for crate in tools/wasm-bindgen tools/egress-sidecar fuzz; do
  step "rustfmt, $crate" cargo fmt --check --manifest-path "$crate/Cargo.toml"
  step "clippy, $crate" cargo clippy --locked --manifest-path "$crate/Cargo.toml" --target-dir target/tools -- -D warnings
done
step "rustfmt, cli" cargo fmt --check --manifest-path cli/Cargo.toml
step "clippy, cli" cargo clippy --locked --all-targets --manifest-path cli/Cargo.toml --target-dir target/cli -- -D warnings
step "floor plan of src/" node tools/layout.ts
step "TypeScript, tools, tests, examples" tsc --project tsconfig.json
step "TypeScript, Workers" tsc --project tsconfig.worker.json
step "TypeScript, console" tsc --project console/tsconfig.json
step "TypeScript, client" tsc --project clients/typescript/tsconfig.json --noEmit
step "Python, client and examples" tools/python.sh clients/python -m mypy --config-file clients/python/pyproject.toml \
  --cache-dir "$LOCAL/mypy" clients/python/src clients/python/generate.py tests/e2e/clients.py examples/*.py
if command -v shellcheck >/dev/null; then
  step "shellcheck" shellcheck --external-sources tools/with-engine tools/test-runner tools/*.sh tools/schemathesis/run.sh clients/generate.sh .ci/run src/sandbox/scripts/*/*.sh
else
  say "  shellcheck is not installed: skipped"
fi
