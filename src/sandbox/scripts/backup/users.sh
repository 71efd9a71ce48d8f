# shellcheck shell=sh
# Precedes restore.sh. Finds the processes that use a directory, and ends them.

# in_container PID: whether a process belongs to this container.
#
# Locally the script may see every process of the machine, and other containers have a /workspace too. But only a
# container's own processes have its root, or see its mounts. If the first process is the container's own, all are, and
# some may have made a root of their own.
in_container() {
  [ -d "/proc/$1" ] || return 1
  [ "$first" != "$container" ] || return 0
  [ "$(stat -L -c %d "/proc/$1/root" 2>/dev/null)" != "$container" ] || return 0
  [ "$(readlink "/proc/$1/ns/mnt" 2>/dev/null)" = "$mounts" ]
}

# words PID: prints the command line of a process.
words() {
  tr '\0' ' ' 2>/dev/null <"/proc/$1/cmdline"
}

# family: prints the start time, the id and the parent's id of each process of this container, the oldest first.
family() {
  for entry in /proc/[0-9]*; do
    in_container "${entry#/proc/}" || continue
    # The process's name, up to the last parenthesis, may hold anything.
    stat=$(tr -d '\n' 2>/dev/null <"$entry/stat") || continue
    # shellcheck disable=SC2086 # numbers, to be split
    set -- ${stat##*) }
    echo "${20} ${entry#/proc/} $2"
  done | sort -n -k 1,1 -k 2,2
}

# keepers: prints the ids of the processes that keep this container running: the first process, and the command that it
# runs.
#
# The first process is the oldest whose parent is outside the container. If it is an init, its command line ends with
# the command that it runs, and that command is its first child. A command line alone proves nothing, because any
# process may have the same one.
keepers() {
  family=$(family)
  keeper=$(echo "$family" | while read -r _ pid parent; do
    in_container "$parent" || { echo "$pid" && break; }
  done)
  while [ -n "$keeper" ]; do
    echo "$keeper"
    child=$(echo "$family" | while read -r _ pid parent; do
      [ "$parent" != "$keeper" ] || { echo "$pid" && break; }
    done)
    run=$(words "${child:-none}") || break
    case $(words "$keeper") in ?*"${run:-none}") keeper=$child ;; *) break ;; esac
  done
}

# spare: records the processes that are never ended: this one, its ancestors, and those that keep the container running.
spare() {
  container=$(stat -L -c %d /) mounts=$(readlink /proc/self/ns/mnt) || mounts=none
  first=$(stat -L -c %d /proc/1/root 2>/dev/null) || first=
  spared="1 $(keepers | tr '\n' ' ')" above=$$
  while [ "${above:-0}" -gt 1 ]; do
    spared="$spared $above"
    above=$(sed -n 's/^PPid:[[:space:]]*//p' "/proc/$above/status" 2>/dev/null) || break
  done
}

# ours: reads process ids, and prints those of this container that may be ended.
ours() {
  while read -r pid; do
    case " $spared " in *" $pid "*) continue ;; esac
    ! in_container "$pid" || echo "$pid"
  done
}

# users DIR: prints the ids of the processes that use DIR or a path in it: as working directory, root, program, open
# file or mapped file.
users() {
  quoted=$(printf '%s' "$1" | sed 's/[][*?\\]/\\&/g')
  {
    find /proc/[0-9]*/cwd /proc/[0-9]*/root /proc/[0-9]*/exe /proc/[0-9]*/fd -maxdepth 1 -type l \
      \( -lname "$quoted" -o -lname "$quoted/*" \) -printf '%p\n' 2>/dev/null
    grep -l -F -e " $1/" /proc/[0-9]*/maps 2>/dev/null
  } | cut -d / -f 3 | sort -un | ours
}

# tell PID: prints "ended", the id and the command of a process, as one line of printable characters.
tell() {
  command=$(words "$1" | tr -c '[:print:]' '?' | cut -c 1-200)
  printf 'ended %s %s\n' "$1" "$command"
}

# end_users DIR MOST: ends the users of DIR by TERM, and after 5 s by KILL. Prints at most MOST of them. Fails if some
# stay.
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
