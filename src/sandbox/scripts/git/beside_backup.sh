# shellcheck shell=sh
# Precedes backup.sh, after git_state: reads the state of the repository that is being archived.

# begin_git_state DIR STORE FILE: begins to write the state of the repository at the root of DIR to FILE, as state.sh
# prints it. Writes nothing if there is none, or if it can't be read.
begin_git_state() {
  : >"$3"
  reading=
  [ -e "$1/.git" ] || return 0
  reading_since=$(cut -d . -f 1 /proc/uptime)
  # With descriptors of its own, so that nobody waits for the output of a git that hangs.
  git_state "$1" "$1" "$2" >"$3.new" 2>/dev/null </dev/null 9>&- &
  reading=$! state=$3
}

# end_git_state: waits until FILE has the state, but no longer than 3 s from its beginning on.
end_git_state() {
  [ -n "$reading" ] || return 0
  while kill -0 "$reading" 2>/dev/null && [ $(($(cut -d . -f 1 /proc/uptime) - reading_since)) -lt 3 ]; do sleep 0.01; done
  if kill -0 "$reading" 2>/dev/null; then kill "$reading" 2>/dev/null; return 0; fi
  # An empty line would look like the end of backup.sh's output.
  ! wait "$reading" || tr -d '\n' <"$state.new" >"$state"
}
