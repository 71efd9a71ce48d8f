# shellcheck shell=sh
# Precedes the scripts about background processes. Each process has a directory: command is what to show of its command;
# leader has the id and the start time of its supervisor, which leads its process group and session; log has its output,
# and dropped how many bytes were dropped from the beginning of that; began says when it began; status has its exit
# status and when it ended. Times are in milliseconds.

# start_time PID: prints when a process started, in ticks; nothing if it does not run.
start_time() {
  stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 0
  # Its name, up to the last parenthesis, may hold anything.
  # shellcheck disable=SC2086 # numbers, to be split
  set -- ${stat##*) }
  case $1 in Z | X) ;; *) echo "${20}" ;; esac
}

# runs DIR: whether the process of DIR runs. Sets leader.
runs() {
  [ ! -e "$1/status" ] && read -r leader started 2>/dev/null <"$1/leader" && [ "$(start_time "$leader")" = "$started" ]
}

# log_end DIR: prints how many bytes the process of DIR has printed.
log_end() {
  dropped=0
  read -r dropped 2>/dev/null <"$1/dropped" || :
  echo $((dropped + $(stat -c %s -- "$1/log")))
}

# tell DIR: prints "NAME STATE BEGAN ENDED STATUS LOG_END COMMAND". What is not known is -.
tell() {
  state=running ended=- status=-
  if ! runs "$1"; then
    state=ended
    read -r status ended 2>/dev/null <"$1/status" || :
  fi
  # The command may hold what echo takes for a line end.
  printf '%s\n' "${1##*/} $state $(cat -- "$1/began") ${ended:--} ${status:--} $(log_end "$1") $(cat -- "$1/command")"
}

# find_process ALL NAME: sets dir to the directory of a process, or fails with 10.
find_process() {
  dir=$1/$2
  [ -e "$dir/leader" ] || { echo "there is no process $2" >&2; exit 10; }
}
