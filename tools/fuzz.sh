#!/usr/bin/env bash
# Fuzzes the parsers of outside bytes: tools/fuzz.sh [TARGET…], each for FUZZ_SECONDS (60). With QUICK=1, runs an
# unoptimized build for two seconds, to check that each target runs. This leaves the corpus unchanged.
#
# New inputs that reach new code go into fuzz/corpus/TARGET, which is committed and which `make test` reads. Inputs that
# crash a target go into .local/fuzz/. libFuzzer works with the stable compiler; only sanitizers would not.
set -euo pipefail
# shellcheck source=tools/lib.sh
source "$(dirname "$0")/lib.sh"
cd "$ROOT"

FLAGS='--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4
  -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table
  -Cllvm-args=-sanitizer-coverage-trace-compares'

main() {
  local target seconds=${FUZZ_SECONDS:-60} profile=release built=release host fuzz
  if [[ ${QUICK:-} == 1 ]]; then seconds=2 profile=dev built=debug; fi
  local targets=("$@")
  if ((${#targets[@]} == 0)); then mapfile -t targets < <(cd fuzz/corpus && printf '%s\n' *); fi
  command -v c++ >/dev/null || die "c++ is missing; install a C++ compiler (Debian: g++)"
  # With the host named as the target, build scripts and macros are built without these flags.
  host=$(rustc --version --verbose | sed -n 's/^host: //p')
  fuzz=target/fuzz/$host/$built/fuzz
  RUSTFLAGS=$FLAGS step "fuzz targets" \
    cargo build --profile "$profile" --locked --manifest-path fuzz/Cargo.toml --target-dir target/fuzz --target "$host"
  for target in "${targets[@]}"; do
    [[ -d fuzz/corpus/$target ]] || die "no target $target; there are: $(cd fuzz/corpus && echo *)"
    mkdir -p ".local/fuzz/$target"
    FUZZ_TARGET=$target step "$target" "$fuzz" -max_total_time="$seconds" -timeout=10 -max_len=4096 -reduce_inputs=1 \
      -artifact_prefix=".local/fuzz/$target-" ".local/fuzz/$target" "fuzz/corpus/$target"
    if [[ ${QUICK:-} != 1 ]]; then
      # Keeps only the new inputs that reach code beyond the corpus.
      FUZZ_TARGET=$target step "$target, what is new" \
        "$fuzz" -set_cover_merge=1 -use_counters=0 "fuzz/corpus/$target" ".local/fuzz/$target"
    fi
    say "    $(sed -n 's/^Done \([0-9]*\) runs.*/\1 runs/p' ".local/log/$target.log"), corpus of $(find "fuzz/corpus/$target" -type f | wc -l)"
  done
}

main "$@"
