# shellcheck shell=sh
# stop_process.sh ALL NAME: ends a process and all that it started in its process group, by TERM, and by KILL after 5 s,
# and tells of it. Exit status: 10 there is no such process.
set -u
find_process "$1" "$2"
# shellcheck disable=SC2154 # processes.sh sets dir and leader
if runs "$dir"; then
  kill -s TERM -- "-$leader" 2>/dev/null
  tries=0
  while runs "$dir" && [ "$tries" -lt 100 ]; do
    tries=$((tries + 1))
    sleep 0.05
  done
  kill -s KILL -- "-$leader" 2>/dev/null
  [ -e "$dir/status" ] || echo "137 $(date +%s%3N)" >"$dir/status"
fi
tell "$dir"
