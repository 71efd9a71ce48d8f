#!/usr/bin/env bash
# Installs everything for building and testing, except the container engine (tools/with-engine) and its images. Repeated
# runs cost nothing: it skips what is installed. With --node, it installs only Node.js and the npm packages: enough to
# call a deployment.
set -euo pipefail
# shellcheck source=tools/lib.sh
source "$(dirname "$0")/lib.sh"

main() {
  if [[ ${1:-} == --node ]]; then
    need npm "Node.js with npm (any version: the pinned Node is then installed by npm)"
    npm_packages
    return
  fi
  check_prerequisites
  # In parallel: each of them spends half of its time waiting, for the network or for the last crate of a build.
  together npm_packages wasm_target worker_build wasm_bindgen
  # Runs after npm_packages, which replaces the Node that this uses.
  "$ROOT/tools/workspace-npm.sh"
}

# together FUNCTION…: runs all functions in parallel. Fails, after all have ended, if any failed.
together() {
  local function pid status=0
  pids=()
  trap end_all INT TERM HUP
  for function in "$@"; do
    in_group "$function" </dev/null
    pids+=($!)
  done
  for pid in "${pids[@]}"; do wait "$pid" || status=$?; done
  trap - INT TERM HUP
  return "$status"
}

end_all() {
  local pid
  for pid in "${pids[@]}"; do kill -TERM -- "-$pid" 2>/dev/null || true; done
  exit 130
}

worker_build() { provide "$WORKER_BUILD_DIR" "worker-build $WORKER_BUILD_VERSION" install_worker_build; }
wasm_bindgen() { provide "$WASM_BINDGEN_DIR" "wasm-bindgen $WASM_BINDGEN_VERSION" install_wasm_bindgen; }

check_prerequisites() {
  need cargo "Rust $RUST_MIN or newer, with rustup"
  need cc "a C compiler and linker (Debian: build-essential)"
  need pkg-config "pkg-config, and OpenSSL's headers (Debian: pkg-config libssl-dev)"
  need npm "Node.js with npm (any version: the pinned Node is then installed by npm)"
  need flock "flock (Debian: util-linux)"
  local rust
  rust=$(rustc --version | cut -d' ' -f2)
  at_least "$rust" "$RUST_MIN" || die "rustc is $rust; install Rust $RUST_MIN or newer (rustup update stable)"
}

# need COMMAND WHAT
need() { command -v "$1" >/dev/null || die "$1 is missing; install $2"; }

# Install scripts are off: the packages here contain their binaries and need none.
npm_packages() {
  local stamp=$ROOT/node_modules/.snapshotter-stamp want
  want=$(hash_of "$ROOT/package.json" "$ROOT/package-lock.json")
  if [[ $(cat "$stamp" 2>/dev/null) != "$want" ]]; then
    step "npm packages" npm --prefix "$ROOT" ci --ignore-scripts --no-audit --no-fund
    printf '%s\n' "$want" >"$stamp"
  fi
  # Debian 13's npm omits a program with this name.
  (cd "$ROOT/node_modules/.bin" && if [[ ! -e node ]]; then ln -s ../node-linux-*/bin/node node; fi)
  at_least "$(node --version)" v24 || die "node is $(node --version); install Node.js 24 or newer"
}

wasm_target() {
  [[ -d $(rustc --print target-libdir --target wasm32-unknown-unknown) ]] && return
  need rustup "rustup, or the wasm32-unknown-unknown target of your Rust"
  step "Rust target wasm32-unknown-unknown" rustup target add wasm32-unknown-unknown
}

# Debug builds: these tools run for a second, and compile in half the time.
install_worker_build() {
  cargo install --locked --debug --config profile.dev.debug=false --root "$1" --bin worker-build "worker-build@$WORKER_BUILD_VERSION"
}

install_wasm_bindgen() {
  cargo install --locked --debug --root "$1" --path "$ROOT/tools/wasm-bindgen" --target-dir "$1/target"
  rm -r "$1/target"
}

main "$@"
