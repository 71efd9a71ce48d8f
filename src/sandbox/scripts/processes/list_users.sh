# shellcheck shell=sh
# list_users.sh DIR MOST ALL: lists at most MOST processes that use DIR, and the background processes that the users of
# DIR belong to.
set -u
spare
found=$(users "$1") told=0
for pid in $found; do
  told=$((told + 1))
  [ "$told" -gt "$2" ] || tell "$pid"
done

# session PID: prints the id of the session of a process, which its supervisor leads.
session() {
  stat=$(tr -d '\n' 2>/dev/null <"/proc/$1/stat") || return 0
  # shellcheck disable=SC2086 # numbers, to be split
  set -- ${stat##*) }
  echo "$4"
}

sessions=$(for pid in $found; do session "$pid"; done | sort -u | tr '\n' ' ')
for dir in "$3"/*/; do
  dir=${dir%/}
  if [ -e "$dir/leader" ] && leads "$dir"; then
    case " $sessions" in *" $leader "*) echo "background ${dir##*/}" ;; esac
  fi
done
