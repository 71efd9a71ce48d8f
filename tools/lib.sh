# shellcheck shell=bash
# shellcheck disable=SC2034 # what is set here is used by the scripts that source it
# Sourced by the other scripts: paths, pinned versions, progress lines, building things only once.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# Large and versioned, shared by clones.
CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/snapshotter
# Belongs to this clone alone.
LOCAL=$ROOT/.local
# shellcheck source=tools/versions.env
source "$ROOT/tools/versions.env"

# The host's own PATH, for programs that these scripts install and their dependencies.
export SNAPSHOTTER_HOST_PATH=${SNAPSHOTTER_HOST_PATH:-$PATH:/usr/sbin:/sbin}
on_host() { PATH=$SNAPSHOTTER_HOST_PATH "$@"; }

# Links each program of tools/host-programs.txt that the host has into .local/host. Programs that are not listed are not
# found, so a script that works here works on any machine with the listed ones.
link_host_programs() {
  local line name file
  mkdir -p "$LOCAL/host"
  while read -r line; do
    for name in ${line#*:}; do
      [[ -x $LOCAL/host/$name ]] && continue
      file=$(on_host type -P "$name") || continue
      # Another script may link the same file.
      ln -sfn "$file" "$LOCAL/host/$name" || true
    done
  done < <(on_host grep '^[^#]' "$ROOT/tools/host-programs.txt")
}
link_host_programs
# Node 24 is an npm package like any other tool. It comes first in PATH, so that `node` is the pinned one.
export PATH=$ROOT/node_modules/.bin:$LOCAL/host
# Keeps wrangler and miniflare from network lookups of their own.
export WRANGLER_SEND_METRICS=false CLOUDFLARE_CF_FETCH_ENABLED=false

# wrangler needs the assets directory before it builds.
mkdir -p "$CACHE" "$LOCAL/log" "$LOCAL/build/assets"

say() { printf '%s\n' "$*" >&2; }
die() {
  say "error: $*"
  exit 1
}

# step NAME COMMAND…: prints a line when the step begins, and one with its time when it ends. The output goes to a log,
# and is shown only on failure. It prints two lines, because steps run in parallel. COMMAND may be a function, which
# ends at its first failure; a condition would switch that off.
step() {
  local name=$1 began=$SECONDS log status
  log=$LOCAL/log/${name//[^A-Za-z0-9.-]/-}.log
  shift
  say "  $name …"
  set +e
  (
    set -e
    "$@"
  ) >"$log" 2>&1
  status=$?
  set -e
  if ((status != 0)); then
    say "failed: $name. The end of $log:"
    tail -n 100 "$log" >&2
    exit 1
  fi
  say "$(printf '  %-44s %4ds' "$name" $((SECONDS - began)))"
}

# lock FD WHAT: waits for the lock on the file that is open as FD. If it has to wait, it says that WHAT has the lock.
lock() {
  flock --nonblock "$1" && return
  say "  waiting for $2 …"
  flock "$1"
}

# in_group COMMAND…: starts COMMAND in its own process group (set -m), so that one signal reaches all of it: -$!.
in_group() {
  set -m
  "$@" <&0 &
  set +m
}

# at_least VERSION FLOOR: true if VERSION is not below FLOOR.
at_least() { [[ $(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n1) == "$2" ]]; }

# hash_of FILE…: a short hash of the files' contents.
hash_of() { cat -- "$@" | sha256sum | cut -c1-12; }

# provide DIR NAME COMMAND…: makes DIR by running COMMAND with a scratch directory as its last argument. Two clones may
# want the same directory at once: the lock lets only one build it, and the rename publishes it only when complete.
provide() {
  local dir=$1 name=$2
  shift 2
  [[ -d $dir ]] && return
  mkdir -p "$(dirname "$dir")"
  (
    lock 7 "another build of $name"
    [[ -d $dir ]] && exit
    rm -rf "$dir.partial"
    step "$name" "$@" "$dir.partial"
    mv "$dir.partial" "$dir"
  ) 7>"$dir.lock"
}

WORKER_BUILD_DIR=$CACHE/tools/worker-build-$WORKER_BUILD_VERSION
WASM_BINDGEN_DIR=$CACHE/tools/wasm-bindgen-$WASM_BINDGEN_VERSION-$(hash_of "$ROOT"/tools/wasm-bindgen/{Cargo.lock,src/main.rs})
