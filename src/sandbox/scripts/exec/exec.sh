# shellcheck shell=sh disable=SC2154 # uptime.sh, which sets ticks, processes.sh, which sets count_ooms, start_process and left.sh come before this
# exec.sh NOTE GROUP LIMIT CWD ROOM KIND COMMAND…: runs a command, and ends its whole process group after LIMIT seconds.
# LIMIT has three digits after the point.
#
# The file GROUP holds the group's id while the command runs, for stop.sh. A line "hand over" in the FIFO NOTE.news,
# from go_on.sh, ends this script, and the command goes on as a background process. The limit still holds. CWD may be
# empty. KIND is argv, or shell for a single string. The exit status is the command's own, except for 124: then the
# limit ended the command, unless the file NOTE exists. NOTE holds "own" (the command itself exited with 124), "cwd"
# (there is no such directory), or, if something that the command started still runs, "left STATUS TIMEOUT PROCESS".
# STATUS is the command's exit status, or - if the command itself goes on. TIMEOUT is yes if the limit ended it. PROCESS
# is the background process that gets the output from now on, or -. A line "PID COMMAND" for each program follows. ROOM
# has two numbers for that process: the most processes, and the most bytes of its log. After 137, NOTE holds "memory" if
# the kernel has ended a process meanwhile because memory ran out. The command has this script's standard input.
set -u
note=$1 group=$2 limit=$3 cwd=$4 room=$5 kind=$6
shift 6
if [ -n "$cwd" ] && ! cd -- "$cwd" 2>/dev/null; then
  echo cwd >"$note"
  exit 124
fi
shown=$*
if [ "$kind" = shell ]; then
  if command -v bash >/dev/null; then set -- bash -c "$1"; else set -- sh -c "$1"; fi
fi

eval "$count_ooms"
ooms_before=$ooms
uptime
began=$ticks
out=$note.out err=$note.err news=$note.news leader=

# limited COMMAND…: runs the command. Its own status comes back on descriptor 9, which neither the command nor its
# background processes inherit. If it does not come, the limit or a signal to the whole group came first. The status is
# then that of `timeout`, the leader of the group.
# shellcheck disable=SC2016 # the inner shell expands it
limited() {
  timeout --kill-after=5 "$limit" sh -c 'echo "$PPID" >"$1"; shift; "$@" 9>&-; echo "$?" >&9' sh "$group" "$@"
  echo "timeout $?" >&9
}

# relay_output: relays what the command prints. Each relay waits until the command's side is open.
relay_output() {
  (exec <"$out" && relay) &
  out_relay=$!
  (exec <"$err" && relay) >&2 &
  err_relay=$!
}

# hear: waits until the command has ended, and sets status to its own exit status, or to "timeout N"; or sets it to
# "hand over" if it is to go on in the background. If everything that could report was killed, status is 137.
hear() {
  status=
  while read -r heard <&7; do
    case $heard in
      timeout*)
        status=${status:-$heard}
        break
        ;;
      'hand over')
        if [ -z "$status$left" ]; then
          status=$heard
          break
        fi
        ;;
      *) status=${heard%%[!0-9]*} ;;
    esac
  done
  status=${status:-137}
}

# find_leader: sets leader to the id of the command's process group. A command may have changed the file. 1 would be all
# processes.
find_leader() {
  read -r leader 2>/dev/null <"$group" || :
  case $leader in '' | *[!0-9]* | 0 | 1) leader= ;; esac
}

# conclude: after the limit, or a signal to the whole group, waits for the group's end. Sets leader, status and timed_out.
conclude() {
  find_leader
  timed_out=no
  case $status in
    timeout*)
      # The signal ended the leader's own child at once. The rest of the group has 5 s, for example to say that it was
      # interrupted.
      uptime
      deadline=$((ticks + 500))
      while [ -n "$leader" ] && kill -s 0 -- "-$leader" 2>/dev/null && [ -n "$(group_members "$leader")" ]; do
        uptime
        if [ "$ticks" -ge "$deadline" ]; then
          kill -s KILL -- "-$leader" 2>/dev/null
          break
        fi
        sleep 0.05
      done
      status=${status#timeout }
      # 137 may come from the limit's second signal, or from another signal.
      uptime
      if [ "$status" -eq 137 ] && [ $((ticks - began)) -ge $((${limit%.*} * 100 + (1${limit#*.} - 1000) / 10)) ]; then status=124; fi
      [ "$status" -ne 124 ] || timed_out=yes
      ;;
    *) status=${status%%[!0-9]*} ;;
  esac
}

left=''
# Without FIFOs, as on a full disk, the command prints directly.
if mkfifo -m 600 -- "$out" "$err" "$news" 2>/dev/null; then
  relay_output
  exec 6<&0
  # With `exec`, the shell keeps no copy of this script's own output.
  (exec <&6 6<&- 9>"$news" >"$out" 2>"$err" && limited "$@") &
  runner=$!
  exec 6<&- 7<"$news"
  hear
  while [ "$status" = 'hand over' ]; do
    # What a relay has read when it is ended would be lost. So the command pauses until another program reads.
    find_leader
    [ -z "$leader" ] || kill -s STOP -- "-$leader" 2>/dev/null
    hand_over "$out" "$err" "$out_relay" "$err_relay" "${note%/*}/processes" "$shown" "${room% *}" "${room#* }" "$note.exit" "$runner"
    if [ -n "$left" ]; then
      process=${note%/*}/processes/$left
      echo "$group" >"$process/group"
      uptime
      echo "$(($(date +%s%3N) - (ticks - began) * 10))" >"$process/began"
      # The rest of this script reports how the command ended.
      (
        trap '' TERM INT HUP
        hear
        conclude
        echo "$status" >"$note.exit.new"
        mv -- "$note.exit.new" "$note.exit"
        rm -f -- "$group" "$news"
      ) </dev/null >/dev/null 2>&1 &
      [ -z "$leader" ] || kill -s CONT -- "-$leader" 2>/dev/null
      # The first two processes are `timeout` and its shell.
      { echo "left - no $left" && group_members "${leader:--}" | sort -n | tail -n +3 | programs; } >"$note"
      exit 124
    fi
    # No more processes may run, so this script waits for the command.
    relay_output
    exec 5>&- 6>&-
    [ -z "$leader" ] || kill -s CONT -- "-$leader" 2>/dev/null
    hear
  done
  exec 7<&-
else
  exec 8>&1
  status=$(limited "$@" 9>&1 >&8 8>&-)
  status=${status:-137}
  out_relay=
fi
conclude
exit_status=$status
[ -z "$out_relay" ] || hand_over "$out" "$err" "$out_relay" "$err_relay" "${note%/*}/processes" "$shown" "${room% *}" "${room#* }"
if [ -n "$left" ]; then rm -f -- "$group" "$news"; else rm -f -- "$group" "$news" "$out" "$err"; fi

# What the command left may be about to end.
waits=0
while [ -n "$leader" ] && [ -z "$left" ] && [ "$waits" -lt 10 ] && kill -s 0 -- "-$leader" 2>/dev/null &&
  [ -n "$(group_members "$leader")" ]; do
  waits=$((waits + 1))
  sleep 0.02
done
if [ -n "$left" ] || [ "$waits" -eq 10 ]; then
  found=$({ [ -z "$left" ] || writers "$out" "$err"; [ -z "$leader" ] || group_members "$leader"; } | sort -un | programs)
  if [ -n "$found$left" ]; then
    printf 'left %s %s %s\n%s\n' "$exit_status" "$timed_out" "${left:--}" "$found" >"$note"
    exit 124
  fi
fi
if [ "$exit_status" -eq 124 ] && [ "$timed_out" = no ]; then echo own >"$note"; fi
if [ "$exit_status" -eq 137 ]; then
  eval "$count_ooms"
  [ "$ooms" = "$ooms_before" ] || echo memory >"$note"
fi
exit "$exit_status"
