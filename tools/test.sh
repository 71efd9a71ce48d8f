#!/usr/bin/env bash
# Runs every test. Ends with "N passed, N failed", summed over all runners. Fails if any test failed, or none ran.
set -euo pipefail
# shellcheck source=tools/lib.sh
source "$(dirname "$0")/lib.sh"
cd "$ROOT"

passed=0
failed=0
# The logs of runners with failures.
failures=()

# run NAME COUNTER COMMAND…: COUNTER reads the command's output and prints "PASSED FAILED". A command that fails without
# a failed test (it did not compile, it crashed) counts as one failed test.
run() {
  local name=$1 counter=$2 status=0 p f
  local output=$LOCAL/log/test-$name.log
  shift 2
  say "== $name"
  "$@" 2>&1 | tee "$output" || status=$?
  read -r p f < <("$counter" <"$output")
  if ((status != 0 && f == 0)); then f=1; fi
  ((f == 0)) || failures+=("$output")
  passed=$((passed + p)) failed=$((failed + f))
}

# Parses "test result: ok. 12 passed; 0 failed; …", one line per test binary.
count_cargo() { awk '/^test result:/ { p += $4; f += $6 } END { print p + 0, f + 0 }'; }
# Parses "ℹ pass 12" and "ℹ fail 0". A cancelled test counts as failed.
count_node() { awk '$2 == "pass" { p += $3 } $2 == "fail" || $2 == "cancelled" { f += $3 } END { print p + 0, f + 0 }'; }
# Each of these is one check, which passes or fails as a whole.
count_wrangler() { grep -q -- '--dry-run: exiting now' && echo 1 0 || echo 0 1; }
count_demo() { grep -q '^demo: ok$' && echo 1 0 || echo 0 1; }
# tools/bench.ts prints the size of the Worker last.
count_bench() { grep -q '^wasm: .* all took' && echo 1 0 || echo 0 1; }
count_soak() { grep -q '^soak: ok$' && echo 1 0 || echo 0 1; }
count_screenshot() { grep -q '^.local/screenshots/.*KB$' && echo 1 0 || echo 0 1; }
# Parses "    1234 runs, corpus of 56", one line per target.
count_fuzz() { awk '/^ +[0-9]+ runs, corpus of/ { p++ } END { print p + 0, 0 }'; }

# Background commands. Each one runs as a process group and ends with this script.
beside=()
begin() {
  in_group "$@" </dev/null
  beside+=($!)
}
end_beside() {
  local pid
  for pid in "${beside[@]}"; do kill -TERM -- "-$pid" 2>/dev/null || true; done
  wait
}
trap end_beside EXIT

# wait_for PID: returns the exit status of PID. A command that hangs fails, so that the other results are still
# reported.
wait_for() { timeout 1500 tail --pid="$1" -f /dev/null && wait "$1"; }

fetch_python() {
  tools/schemathesis/run.sh --version >/dev/null
  tools/python.sh clients/python --version >/dev/null
  tools/python.sh tests/vendors --version >/dev/null
}

# Builds the Worker under test, and the one of agents.test.ts.
build_workers() { tools/build.sh --test && tools/build.sh --crate; }

# Beside the native tests, too: end-to-end tests have time limits. Builds of a clone wait for each other.
build_release() {
  timeout 1500 tail --pid="$1" -f /dev/null || true
  tools/build.sh --release
}

# The dry run builds the release, as wrangler.toml says. Without the flag, it would also build and push the image.
beside_e2e() {
  rm -f "$LOCAL"/log/{dry-run,tour}.log
  wrangler deploy --dry-run --containers-rollout=none >"$LOCAL/log/dry-run.log" 2>&1 || return
  tools/with-engine node tools/demo.ts >"$LOCAL/log/tour.log" 2>&1
}

# CI builds everything only once.
if [[ ${CI:-} ]]; then export CARGO_INCREMENTAL=0; fi
# The tour runs on this machine, even if the caller's shell names a deployment.
unset URL TOKEN
tools/setup.sh
# This keeps all cores busy: engine, images, browser and Python packages are fetched while the native tests build, and
# the Worker is built while they run. If one of these steps fails, the step that needs its result reports the failure
# again. The engine stays until the end.
begin tools/with-engine sleep infinity
begin fetch_python
fetched=$!
begin tools/browser.sh
cargo test --locked --no-run --test '*' || true
begin build_workers
built=$!
begin build_release "$built"
run unit count_cargo cargo test --locked --no-fail-fast --lib
run native count_cargo cargo test --locked --no-fail-fast --test '*'
# This runs while the Worker is still being built.
run cli count_cargo cargo test --locked --manifest-path cli/Cargo.toml --target-dir target/cli
run fuzz count_fuzz env QUICK=1 tools/fuzz.sh
run sidecar count_cargo cargo test --locked --manifest-path tools/egress-sidecar/Cargo.toml --target-dir target/tools
wait_for "$fetched" || true
if wait_for "$built"; then
  begin beside_e2e
  rest=$!
  run e2e count_node tools/with-engine node --test --test-reporter=spec --test-concurrency=4 --test-timeout=300000 \
    --test-force-exit --import "$ROOT/tests/e2e/file-limit.ts" 'tests/e2e/*.test.ts'
  wait_for "$rest" || true
  run deploy count_wrangler cat "$LOCAL/log/dry-run.log"
  run demo count_demo cat "$LOCAL/log/tour.log"
  # Programs without tests would rot, so this runs the smallest part of the other programs that call the Worker.
  run bench count_bench env QUICK=1 tools/with-engine node tools/bench.ts
  run soak count_soak env QUICK=1 MINUTES=0.1 SESSIONS=1 tools/with-engine node tools/soak.ts
  run screenshot count_screenshot tools/with-engine node tools/screenshots.ts operator
else
  failed=$((failed + 1))
fi

# Repeats the failures, because much was printed since then.
for output in "${failures[@]}"; do
  echo "== failures in ${output#"$ROOT/"}"
  # Lists all failed tests, if cargo or node lists them.
  listed=$(awk '/^(failures:|✖ failing tests:)$/ { list = 1 } list && NF && !/ \.\.\. ok$/ && ++lines <= 300' "$output")
  echo "${listed:-$(tail -n 40 "$output")}"
done
# Tests that this machine can't run, each with its reason.
skipped=$(grep -h '^ *﹣ .* # ' "$LOCAL"/log/test-e2e.log 2>/dev/null || true)
[[ ! $skipped ]] || printf 'skipped:\n%s\n' "$skipped"
echo "$passed passed, $failed failed"
((failed == 0 && passed > 0))
