# shellcheck shell=sh
# Comes before restore.sh. Finds the processes that use a directory, and ends them.

# spare: notes which processes are never ended: this one, and those it is below.
spare() {
  spared=1 above=$$
  while [ "${above:-0}" -gt 1 ]; do
    spared="$spared $above"
    above=$(sed -n 's/^PPid:[[:space:]]*//p' "/proc/$above/status" 2>/dev/null) || break
  done
}

# ours: of the processes whose ids it reads, those of this container that may be ended.
#
# Locally each process of the machine is seen here, and others have a /workspace too: a container's have its root. One
# that sleeps for ever is what keeps the container running.
ours() {
  root=$(stat -L -c %d /)
  while read -r pid; do
    case " $spared " in *" $pid "*) continue ;; esac
    [ "$(stat -L -c %d "/proc/$pid/root" 2>/dev/null)" = "$root" ] || continue
    case $(tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline") in *"sleep infinity ") continue ;; esac
    echo "$pid"
  done
}

# users DIR: prints the ids of the processes that are in DIR, or have it, or what is in it, open, mapped, as root, or as
# program.
users() {
  quoted=$(printf '%s' "$1" | sed 's/[][*?\\]/\\&/g')
  {
    find /proc/[0-9]*/cwd /proc/[0-9]*/root /proc/[0-9]*/exe /proc/[0-9]*/fd -maxdepth 1 -type l \
      \( -lname "$quoted" -o -lname "$quoted/*" \) -printf '%p\n' 2>/dev/null
    grep -l -F -e " $1/" /proc/[0-9]*/maps 2>/dev/null
  } | cut -d / -f 3 | sort -un | ours
}

# tell PID: prints "ended", the id and the command of a process, in one line of plain text.
tell() {
  command=$(tr '\0' ' ' 2>/dev/null <"/proc/$1/cmdline" | tr -c '[:print:]' '?' | cut -c 1-200)
  printf 'ended %s %s\n' "$1" "$command"
}

# end_users DIR MOST: ends them, by TERM, and after 5 s by KILL. Tells of MOST at most. Fails where some stay.
end_users() {
  spare
  asked='' tries=0 told=0
  while found=$(users "$1") && [ -n "$found" ]; do
    if [ "$tries" -ge 70 ]; then
      echo "is in use by processes that do not end: $(echo "$found" | tr '\n' ' ')" >&2
      exit 24
    fi
    for pid in $found; do
      case " $asked " in
        *" $pid "*) [ "$tries" -lt 50 ] || kill -s KILL -- "$pid" 2>/dev/null || : ;;
        *)
          asked="$asked $pid"
          told=$((told + 1))
          [ "$told" -gt "$2" ] || tell "$pid"
          kill -s TERM -- "$pid" 2>/dev/null || :
          ;;
      esac
    done
    tries=$((tries + 1))
    sleep 0.1
  done
}
