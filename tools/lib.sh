# shellcheck shell=bash
# shellcheck disable=SC2034 # what is set here is used by the scripts that source it
# Sourced by the other scripts: where things are, pinned versions, progress lines, once-only building.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# Heavy and versioned, shared by clones.
CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/snapshotter
# Of this clone alone.
LOCAL=$ROOT/.local
# shellcheck source=tools/versions.env
source "$ROOT/tools/versions.env"

# The host's own PATH, for what is installed here and for what that needs.
export SNAPSHOTTER_HOST_PATH=${SNAPSHOTTER_HOST_PATH:-$PATH:/usr/sbin:/sbin}
on_host() { PATH=$SNAPSHOTTER_HOST_PATH "$@"; }

# Links each program of tools/host-programs.txt that the host has into .local/host. One that is not listed is not found, so
# what works here works on a machine that has no more than these.
link_host_programs() {
  local line name file
  mkdir -p "$LOCAL/host"
  while read -r line; do
    for name in ${line#*:}; do
      [[ -x $LOCAL/host/$name ]] && continue
      file=$(on_host type -P "$name") || continue
      # Another script may do the same.
      ln -sfn "$file" "$LOCAL/host/$name" || true
    done
  done < <(on_host grep '^[^#]' "$ROOT/tools/host-programs.txt")
}
link_host_programs
# Node 24 is an npm package like any other tool: first in PATH, so that `node` is the pinned one.
export PATH=$ROOT/node_modules/.bin:$LOCAL/host
# Neither may look anything up on its own.
export WRANGLER_SEND_METRICS=false CLOUDFLARE_CF_FETCH_ENABLED=false

# wrangler wants the directory of assets to be there before it builds.
mkdir -p "$CACHE" "$LOCAL/log" "$LOCAL/build/assets"

say() { printf '%s\n' "$*" >&2; }
die() {
  say "error: $*"
  exit 1
}

# step NAME COMMAND…: a line as it begins and one with its time; the output goes to a log, shown only when it fails.
# Two lines, because steps run beside each other. COMMAND may be a function, which ends at its first failure: that is why
# it is not simply a condition.
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

# lock FD WHAT: waits for the lock on the file that is open as FD, and says so where WHAT has it.
lock() {
  flock --nonblock "$1" && return
  say "  waiting for $2 …"
  flock "$1"
}

# in_group COMMAND…: starts it in a process group of its own (set -m), so that a signal can end all of it: -$!.
in_group() {
  set -m
  "$@" <&0 &
  set +m
}

# at_least VERSION FLOOR: true if VERSION is not below FLOOR.
at_least() { [[ $(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n1) == "$2" ]]; }

# hash_of FILE…: a short name for what these files hold.
hash_of() { cat -- "$@" | sha256sum | cut -c1-12; }

# provide DIR NAME COMMAND…: makes DIR by running COMMAND with a scratch directory as its last argument.
# Two clones may want the same one at once: the lock lets one build it, the rename shows it only whole.
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
