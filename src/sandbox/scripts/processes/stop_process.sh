# shellcheck shell=sh disable=SC2154 # processes.sh sets dir and leader
# stop_process.sh ALL NAME: ends a process and all that it started in its process group or that prints to its log, by TERM,
# and by KILL after 5 s, and tells of it. Exit status: 10 there is no such process.
set -u
find_process "$1" "$2"

# printers: prints the ids of the programs that print to the log of dir, except for its supervisor and the readers.
printers() {
  if [ -e "$dir/pipes" ]; then
    { read -r out && read -r err; } <"$dir/pipes"
    writers "$out" "$err"
  else
    writers "$dir/log" "$dir/log"
  fi
}

# signal NAME: sends a signal to all of it. The readers end by themselves.
signal() {
  [ -e "$dir/pipes" ] || kill -s "$1" -- "-$leader" 2>/dev/null
  for pid in $(printers); do kill -s "$1" "$pid" 2>/dev/null; done
}

if leads "$dir"; then
  signal TERM
  tries=0
  while leads "$dir" && [ "$tries" -lt 100 ]; do
    tries=$((tries + 1))
    sleep 0.05
  done
  if leads "$dir"; then signal KILL; fi
  kill -s KILL -- "-$leader" 2>/dev/null
  [ -e "$dir/status" ] || echo "137 $(date +%s%3N)" >"$dir/status"
fi
tell "$dir"
