# shellcheck shell=sh
# Precedes the scripts about background processes. Each process has a directory: command has the text to show for its
# command; leader has the id and the start time of its supervisor, which leads its process group and session; log has
# its output, and dropped the number of bytes that were dropped from the log's beginning; began says when it began;
# status has its exit status and when it ended, and "memory" if it was killed while memory ran out. Times are in
# milliseconds. If the process only reads the output of programs that a command left running, pipes has the names of the
# two FIFOs. If that command itself still runs, group has the name of the file with its process group.

# The text of a command that sets ooms to the number of processes that the kernel has ended because memory ran out. It
# reads the container's count if it is visible, else the machine's. It is a text because a supervisor, which is a shell
# of its own, evaluates it, too. It also sets counts, count_of and count.
# shellcheck disable=SC2016 # the evaluating shell expands it
count_ooms='
  ooms=0
  for counts in /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control /proc/vmstat; do
    [ -r "$counts" ] || continue
    while read -r count_of count; do [ "$count_of" != oom_kill ] || ooms=$count; done <"$counts"
    break
  done
'

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

# leads DIR: whether the process of DIR, or something that it started, runs. In the second case its supervisor stays,
# and has made the file lingers. Sets leader.
leads() {
  { [ ! -e "$1/status" ] || [ -e "$1/lingers" ]; } && read -r leader started 2>/dev/null <"$1/leader" && [ "$(start_time "$leader")" = "$started" ]
}

# count_processes ALL DIR: counts the processes except for that of DIR. Sets running to the count of those that run,
# others to the count of those that have ended, and oldest to the directory of the ended process that began first.
count_processes() {
  running=0 others=0 oldest='' oldest_began=
  for other in "$1"/*/; do
    other=${other%/}
    if [ "$other" = "$2" ] || [ ! -e "$other/leader" ]; then continue; fi
    if runs "$other"; then
      running=$((running + 1))
    elif ! leads "$other"; then
      others=$((others + 1)) began=$(cat -- "$other/began")
      if [ -z "$oldest" ] || [ "$began" -lt "$oldest_began" ]; then oldest=$other oldest_began=$began; fi
    fi
  done
}

# log_end DIR: prints how many bytes the process of DIR has printed.
log_end() {
  dropped=0
  read -r dropped 2>/dev/null <"$1/dropped" || :
  echo $((dropped + $(stat -c %s -- "$1/log")))
}

# tell DIR: prints "NAME STATE BEGAN ENDED STATUS LOG_END COMMAND". An unknown field is -. STATE is running, ended, or
# left: the process has ended, but something that it started goes on. STATUS ends with "+memory" if memory ran out.
tell() {
  state=running ended=- status=- cause=
  if ! runs "$1"; then
    state=ended
    ! leads "$1" || state=left
    read -r status ended cause 2>/dev/null <"$1/status" || :
    # Without the command, the recorded status is that of the readers.
    [ ! -e "$1/pipes" ] || [ -e "$1/group" ] || status=-
  fi
  # The command may hold what echo takes for a line end.
  printf '%s\n' "${1##*/} $state $(cat -- "$1/began") ${ended:--} ${status:--}${cause:++$cause} $(log_end "$1") $(cat -- "$1/command")"
}

# find_process ALL NAME: sets dir to the directory of a process, or fails with 10.
find_process() {
  dir=$1/$2
  [ -e "$dir/leader" ] || { echo "there is no process $2" >&2; exit 10; }
}
