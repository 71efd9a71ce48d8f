#!/usr/bin/env bash
# Builds the Worker: tools/build.sh [--release | --dev | --test | --crate]
#
#   src/ ── worker-build ──▶ .local/wasm/VARIANT/{index.js,index_bg.wasm}
#   entry/index.ts ── esbuild ──▶ .local/build/VARIANT/{index.js,index_bg.wasm}
#   console/ ── esbuild ──▶ .local/build/assets/console/
#
# entry/ imports the Rust side as "snapshotter-wasm". The bundle imports its .wasm file as a compiled module.
#   --release  optimised, with wasm-opt: what is deployed
#   --dev      the dev profile: quick to build, checks on
#   --test     the same with the cargo feature test-hooks
#   --crate    tests/rust-worker, which depends on the crate: only .local/wasm/crate/
set -euo pipefail
# shellcheck source=tools/lib.sh
source "$(dirname "$0")/lib.sh"

main() {
  local variant=${1:---release}
  variant=${variant#--}
  local profile=(--dev --no-opt) cargo_args=() package=.
  case $variant in
    release) profile=(--release) ;;
    dev) ;;
    test) cargo_args=(--features test-hooks) ;;
    crate) package=tests/rust-worker ;;
    *) die "unknown variant --$variant; use --release, --dev, --test or --crate" ;;
  esac
  "$ROOT/tools/setup.sh"
  cd "$ROOT"
  mkdir -p "$LOCAL/wasm" "$LOCAL/build"
  local stamp=$LOCAL/wasm/$variant.stamp inputs
  inputs=$(hash_of_inputs "$package")
  # If the build is current, this waits for no other build.
  if is_built && [[ $package != . ]]; then return; fi
  # Only one build of a clone runs at a time (live rebuild, wrangler).
  exec 6>"$LOCAL/build.lock"
  lock 6 "another build"
  if ! is_built; then
    rm -f "$stamp"
    step "Worker ($variant)" compile "$package" "$variant" "${profile[@]}" --locked "${cargo_args[@]}"
    if [[ $package == . ]]; then bundle "$variant"; fi
    printf '%s\n' "$inputs" >"$stamp"
  fi
  if [[ $package == . ]]; then assets; fi
}

# This uses the variables of main.
is_built() { [[ $(cat "$stamp" 2>/dev/null) == "$inputs" && -d $LOCAL/wasm/$variant ]]; }

# cargo skips unchanged sources, but wasm-bindgen and wasm-opt would run again, which takes 15 s of a release build. The
# hash covers every file that could have an influence. Programs that call the Worker have none.
hash_of_inputs() {
  local files
  mapfile -d '' -t files < <(find . "$1/src" \( -name '.?*' -o -name target -o -path ./node_modules -o -path ./tests -o \
    -path ./cli -o -path ./clients -o -path ./examples -o -path ./console \) -prune -o -type f \( -path ./tools/wasm-names.ts -o -not -path './tools/*.ts' \) -print0 | sort -z)
  hash_of "${files[@]}"
}

# worker-build downloads every tool that has no variable here, and never cleans its output directory. The target
# directory is separate: otherwise tests that are compiled at the same time would wait for its lock.
compile() {
  local package=$1 variant=$2
  shift 2
  rm -rf "$LOCAL/wasm/$variant"
  # All variants have the same file name for cargo, which would reuse the file of another variant.
  if [[ $(cat "$LOCAL/wasm/last" 2>/dev/null) != "$variant" ]]; then
    rm -f "$ROOT"/target/wasm/wasm32-unknown-unknown/*/deps/snapshotter.wasm
  fi
  printf '%s\n' "$variant" >"$LOCAL/wasm/last"
  cd "$ROOT/$package"
  CARGO_TARGET_DIR=$ROOT/target/wasm \
  RUST_BACKTRACE=0 \
  WASM_BINDGEN_BIN=$WASM_BINDGEN_DIR/bin/wasm-bindgen-tool \
  WASM_OPT_BIN=$ROOT/node_modules/.bin/wasm-opt \
  ESBUILD_BIN=$ROOT/node_modules/.bin/esbuild \
    "$WORKER_BUILD_DIR/bin/worker-build" --out-dir "$(realpath --relative-to=. "$LOCAL")/wasm/$variant" "$@"
}

# The output directory may hold only the two files of the Worker: wrangler uploads every module that it finds there. We
# move them there by rename, so that a reader never sees half a build, and a failed build leaves the last good one.
bundle() {
  local wasm=$LOCAL/wasm/$1 out=$LOCAL/build/$1
  rm -rf "$out.partial"
  mkdir "$out.partial"
  cp "$wasm/index_bg.wasm" "$out.partial/"
  local build=dev
  # A development build keeps its function names, so its stacks are readable.
  if [[ $1 != dev ]]; then build=$(node tools/wasm-names.ts split "$out.partial/index_bg.wasm" "$LOCAL/build/names-$1.json"); fi
  esbuild "$ROOT/entry/index.ts" --bundle --format=esm --target=es2024 --log-level=warning \
    "--alias:snapshotter-wasm=$wasm/index.js" '--external:cloudflare:*' '--external:./index_bg.wasm' \
    "--define:BUILD=\"$build\"" "--outfile=$out.partial/index.js"
  rm -rf "$out"
  mv "$out.partial" "$out"
}

# The files behind the binding ASSETS: the published description, without its whitespace, and the console.
assets() {
  local out=$LOCAL/build/assets stamp=$LOCAL/build/assets.stamp files inputs
  mapfile -d '' -t files < <(find console clients/typescript/src docs/openapi.json package-lock.json tools/console.ts -type f -print0 | sort -z)
  inputs=$(hash_of "${files[@]}")
  if [[ $(cat "$stamp" 2>/dev/null) == "$inputs" && -d $out/console ]]; then return; fi
  mkdir -p "$out"
  rm -rf "$LOCAL/build/console.partial"
  step "console" node tools/console.ts "$LOCAL/build/console.partial"
  rm -rf "$out/console"
  mv "$LOCAL/build/console.partial" "$out/console"
  node -e 'process.stdout.write(JSON.stringify(JSON.parse(require("fs").readFileSync(process.argv[1]))))' \
    "$ROOT/docs/openapi.json" >"$out/openapi.json.partial"
  mv "$out/openapi.json.partial" "$out/openapi.json"
  printf '%s\n' "$inputs" >"$stamp"
}

main "$@"
