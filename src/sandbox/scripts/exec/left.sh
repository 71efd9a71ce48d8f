# shellcheck shell=sh disable=SC2154 # processes.sh sets leader
# Precedes the scripts that run a caller's command, after processes.sh: relays what the command prints, and lets
# programs that it leaves running go on printing.
#
# The command prints to two FIFOs, and a relay of each prints that for the caller. When the command has ended but something
# still holds a FIFO, nobody else would read it, and the next print would end that program. So a background process,
# which workspace_logs finds, goes on reading.

# alive PID: whether one of our own children runs.
alive() {
  read -r stat 2>/dev/null <"/proc/$1/stat" || return 1
  case ${stat##*) } in Z* | X*) return 1 ;; esac
}

# writers OUT ERR: prints the ids of the processes that have one of two FIFOs open, except for those that read it. The
# FIFOs may have been removed meanwhile.
writers() {
  find /proc/[0-9]*/fd -maxdepth 1 \( -lname "$1" -o -lname "$1 (deleted)" -o -lname "$2" -o -lname "$2 (deleted)" \) \
    -printf '%h %f\n' 2>/dev/null |
    while read -r of number; do
      pid=${of#/proc/}
      pid=${pid%/fd}
      while read -r name flags; do
        # The last digit says how it is open: 0 is for reading.
        case $name$flags in flags:*[12]) echo "$pid" ;; esac
      done 2>/dev/null <"/proc/$pid/fdinfo/$number"
    done | sort -un
}

# group_members GROUP: prints the ids of the processes of a process group.
group_members() {
  for of in /proc/[0-9]*/stat; do
    read -r stat 2>/dev/null <"$of" || continue
    # shellcheck disable=SC2086 # numbers, to be split
    set -- "$1" ${stat##*) }
    case $2 in Z | X) continue ;; esac
    [ "${4:-}" != "$1" ] || echo "${stat%% *}"
  done
}

# programs: prints "PID COMMAND" for each id that it reads, at most 5.
programs() {
  while read -r pid; do
    line=$(head -c 200 -- "/proc/$pid/cmdline" 2>/dev/null | tr '\000-\037\177' ' ') || continue
    [ -z "$line" ] || printf '%s\n' "$pid ${line% }"
  done | head -n 5
}

# relay: becomes the relay of its standard input. A signal to the script's own group must not end it. Without LC_ALL, cat
# would read a dozen files of its locale first.
relay() {
  trap '' TERM INT HUP
  LC_ALL=C exec cat 3<&- 4<&- 5>&- 6>&- 7<&- 8>&- 9>&-
}

# end_relay PID: ends a relay once it has passed on everything that the command printed, and waits for more. If the
# kernel does not reveal that, assumes it after 2 s. If the reader of the relay's output is slow, waits for up to 10
# minutes.
end_relay() {
  waits=0
  while alive "$1" && [ "$waits" -lt 30000 ]; do
    doing=
    read -r doing 2>/dev/null <"/proc/$1/wchan" || :
    case $doing in
      *pipe_read*) break ;;
      *pipe_write*) waits=$((waits + 1)) ;;
      *) waits=$((waits + 300)) ;;
    esac
    sleep 0.02
  done
  kill -s KILL "$1" 2>/dev/null
}

# hand_over OUT ERR OUT_RELAY ERR_RELAY ALL SHOWN MOST LOG_MOST [EXIT RUNNER]: waits until both relays have ended. If a
# program still has one of the FIFOs OUT and ERR open, starts a background process in ALL that goes on reading, sets
# left to its name, and ends the relays. SHOWN, MOST and LOG_MOST are as for start_process.sh. If no process can be
# started, later output is dropped.
#
# With EXIT, the command itself goes on. The background process ends with the exit status that the file EXIT gets soon
# after the process RUNNER has ended. If no process can be started, only the relays have ended, and descriptors 5 and 6
# read the FIFOs.
hand_over() {
  left='' waits=0
  # Most relays end within a millisecond. `sleep` is a program, so it would take longer than that.
  while [ -z "${9:-}" ] && { alive "$3" || alive "$4"; } && [ "$waits" -lt 70 ]; do
    waits=$((waits + 1))
    [ "$waits" -le 50 ] || sleep 0.01
  done
  if [ -z "${9:-}" ] && ! alive "$3" && ! alive "$4"; then return 0; fi
  # Open for reading too, so that the writers have a reader all the time.
  exec 5<>"$1" 6<>"$2"
  end_relay "$3"
  end_relay "$4"
  # shellcheck disable=SC2016 # the inner shell expands it
  reads='
    exec 3<"$1" 4<"$2"
    : >"$1.read"
    cat <&3 &
    cat <&4
    wait
    code=0 tries=0
    if [ -n "$3" ]; then
      until [ -e "$3" ] || [ "$tries" -ge 400 ]; do
        kill -s 0 "$4" 2>/dev/null || tries=$((tries + 1))
        sleep 0.05
      done
      read -r code 2>/dev/null <"$3" || code=137
    fi
    rm -f -- "$1" "$2" ${3:+"$3"}
    exit "$code"
  '
  prefix=left
  [ -z "${9:-}" ] || prefix=run
  number=0 status=14
  while [ "$status" -eq 14 ] && [ "$number" -lt 50 ]; do
    number=$((number + 1))
    [ ! -e "$5/$prefix-$number" ] || continue
    status=0
    (start_process "$5" "$prefix-$number" "$(printf '%s' "$6" | tr '\000-\037\177' ' ' | head -c 200)" "$7" "$8" '' / argv \
      sh -c "$reads" sh "$1" "$2" "${9:-}" "${10:-}") >/dev/null 2>&1 5>&- 6>&- 7>&- || status=$?
  done
  if [ "$status" -eq 0 ] && [ -e "$5/$prefix-$number/leader" ]; then
    left=$prefix-$number
    printf '%s\n%s\n' "$1" "$2" >"$5/$left/pipes"
  elif [ -n "${9:-}" ]; then
    return 0
  else
    setsid sh -c "$reads" sh "$1" "$2" '' '' >/dev/null 2>&1 </dev/null 5>&- 6>&- &
  fi
  waits=0
  until [ -e "$1.read" ] || [ "$waits" -ge 200 ]; do
    waits=$((waits + 1))
    sleep 0.01
  done
  rm -f -- "$1.read"
  exec 5>&- 6>&-
}
