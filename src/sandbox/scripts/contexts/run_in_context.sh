# shellcheck shell=sh disable=SC2154 # processes.sh sets leader, and uptime.sh ticks
# run_in_context.sh ALL ID CALL SIZE ROOM: runs the SIZE bytes of standard input as code in the context ID, in the directory
# CALL, which code_collect.sh reads and removes. Standard output and error are the code's own while it runs. ROOM is as
# for exec.sh.
#
# TERM, from the time limit or a caller who gave up, interrupts the code: SIGINT goes to the context's process group. If
# the code does not react within 3 s, the context is killed, because nobody could use it any more. A caller who gave up
# kills this script 5 s after TERM. The next call then interrupts the code again.
#
# Exit status: that of the call, as context.py writes it, or if the context ended, that of the context. The file note in
# CALL then says why: "absent", there is no such context; "incomplete", not all of the code arrived; "busy", it runs
# another call; "over STATUS WHY", it had ended before the code ran; "ended STATUS WHY", it ended now. WHY may be idle,
# stuck or gone. If a program that the code started still has the code's output open, the file left names the background
# process that gets the output from now on, or -, and has a line "PID COMMAND" for each program.
set -u
ctx=$1/$2 call=$3 size=$4 processes=${1%/*}/processes room=$5
# note TEXT STATUS: ends this call without a result.
note() {
  printf '%s\n' "$1" >"$call/note"
  exit "$2"
}

# fate: prints "STATUS WHY" of a context that has ended.
fate() {
  status='' why=''
  read -r status _ 2>/dev/null <"$ctx/status" || :
  read -r why 2>/dev/null <"$ctx/why" || :
  case $status in '' | *[!0-9]*) status=137 ;; esac
  [ -e "$ctx/leader" ] || why=gone
  echo "$status ${why:--}"
}

# lives: whether the context runs. A signal to this process group may end the check, so it is repeated.
lives() {
  runs "$ctx" || runs "$ctx" || runs "$ctx"
}

# kill_context: ends a context that does not react. Its supervisor ends, too, and can't report that.
kill_context() {
  echo stuck >"$ctx/why"
  kill -s KILL -- "-$leader" 2>/dev/null
  [ -e "$ctx/status" ] || echo "137 $(date +%s%3N)" >"$ctx/status"
}

# interrupt: sends SIGINT, once. Kills a context that has not reacted 3 s later, by the clock: rounds of the loop take
# longer on a busy machine.
deadline=''
interrupt() {
  if [ -z "$deadline" ]; then
    : >"$ctx/interrupted"
    kill -s INT -- "-$leader" 2>/dev/null
    uptime
    deadline=$((ticks + 300))
    return
  fi
  uptime
  [ "$ticks" -lt "$deadline" ] || kill_context
}

mkdir -p -- "$call/out"
cat >"$call/code"
[ "$(stat -c %s -- "$call/code")" -eq "$size" ] || note incomplete 1
[ -e "$ctx/leader" ] || note absent 1
if ! runs "$ctx"; then note "over $(fate)" 1; fi
exec 9>"$ctx/.call"
# A call that has just answered may not have ended yet, and an interrupted call ends within 3 s.
flock -w 1 9 || { [ -e "$ctx/interrupted" ] && flock -w 4 9; } || note busy 1

# A call whose client was killed may still run. It has to end first.
while [ -e "$ctx/running" ] && runs "$ctx"; do
  interrupt
  sleep 0.05
done
rm -f -- "$ctx/interrupted"
if ! runs "$ctx"; then note "over $(fate)" 1; fi

mkfifo -m 600 -- "$call/stdout" "$call/stderr"
# Open for reading and writing, so that nobody waits for the other side. 7 and 8 keep the readers' side.
# shellcheck disable=SC2094 # they are FIFOs
exec 5<>"$call/stdout" 6<>"$call/stderr" 7<"$call/stdout" 8<"$call/stderr"
(exec <&7 && relay) &
out=$!
(exec <&8 && relay) >&2 &
err=$!
# The shell would tell the caller which of its own processes a signal has ended.
exec 2>/dev/null
asked=0 deadline=''
trap 'asked=1' TERM INT HUP
# The interpreter may open the FIFO later. What is written stays there only while somebody has it open.
exec 4<>"$ctx/requests"
printf '%s\n' "$call" >&4
pause=0.01 turns=0
while [ ! -e "$call/done" ] && lives; do
  if [ "$asked" -eq 1 ]; then
    interrupt
    pause=0.05
  fi
  sleep "$pause" 5>&- 6>&- 7<&- 8<&- 9>&-
  turns=$((turns + 1))
  if [ "$turns" -eq 20 ]; then pause=0.05; fi
done

trap '' TERM INT HUP
status=1
if [ -e "$call/done" ]; then
  read -r status <"$call/done"
  case $status in 0 | 1 | 130) ;; *) status=1 ;; esac
else
  fate=$(fate)
  # An interpreter that ends because it is idle has not taken the call.
  case $fate in
    *' idle') echo "over $fate" >"$call/note" ;;
    *)
      echo "ended $fate" >"$call/note"
      status=${fate%% *}
      ;;
  esac
fi
# All that the code printed is in the pipes. A program that it left may keep them open. The time limit may come meanwhile, so
# the note is written by now.
exit_status=$status
exec 5>&- 6>&-
hand_over "$call/stdout" "$call/stderr" "$out" "$err" "$processes" "code in context ${ctx##*/}" "${room% *}" "${room#* }" \
  4<&- 7<&- 8<&- 9>&-
if [ -n "$left" ]; then
  { printf '%s\n' "$left" && writers "$call/stdout" "$call/stderr" | programs; } >"$call/left"
fi
exit "$exit_status"
