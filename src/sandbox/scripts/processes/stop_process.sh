# shellcheck shell=sh disable=SC2154 # processes.sh sets dir and leader
# stop_process.sh ALL NAME: ends a process, all that it started in its process group, and all that prints to its log, by
# TERM, and by KILL after 5 s. Prints a line of tell. Exit status: 10 there is no such process.
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

# signal NAME: sends a signal to everything that is to end. The readers end by themselves.
signal() {
  [ -e "$dir/pipes" ] || kill -s "$1" -- "-$leader" 2>/dev/null
  if [ -e "$dir/group" ] && read -r of <"$dir/group" && read -r group 2>/dev/null <"$of"; then
    # A command may have changed the file. 1 would be all processes.
    case $group in '' | *[!0-9]* | 0 | 1) ;; *) kill -s "$1" -- "-$group" 2>/dev/null ;; esac
  fi
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
