# shellcheck shell=sh
# exec.sh NOTE GROUP LIMIT CWD KIND COMMAND…: runs a command, all of its process group ended after LIMIT seconds, which
# have three digits after the point.
#
# GROUP is a file that holds the group's id while the command runs, for stop.sh.
# CWD may be empty. KIND is argv, or shell for one string. The exit status is the command's own, but for 124, which
# means that the limit ended it, unless NOTE exists after: it then holds "own" (the command itself left 124) or
# "cwd" (no such directory). Standard input, output and error are the command's.
set -u
note=$1 group=$2 limit=$3 cwd=$4 kind=$5
shift 5
if [ -n "$cwd" ] && ! cd -- "$cwd" 2>/dev/null; then
  echo cwd >"$note"
  exit 124
fi
if [ "$kind" = shell ]; then
  if command -v bash >/dev/null; then set -- bash -c "$1"; else set -- sh -c "$1"; fi
fi

# In hundredths of a second, as /proc/uptime has it; the digits after its point may begin with 0.
uptime() {
  read -r now _ </proc/uptime
  echo $((${now%.*} * 100 + 1${now#*.} - 100))
}
began=$(uptime)

# The command's own status comes back on descriptor 9, which neither it nor what it leaves running inherits. None
# there means that the limit, or a signal to the whole group, came first; then the status is that of `timeout`, which
# leads the group.
exec 8>&1
# shellcheck disable=SC2016 # the inner shell expands it
status=$(
  timeout --kill-after=5 "$limit" sh -c 'echo "$PPID" >"$1"; shift; "$@" 8>&- 9>&-; echo "$?" >&9' sh "$group" "$@" 9>&1 >&8
  echo "timeout $?"
)
rm -f -- "$group"
case $status in
  timeout*)
    status=${status#timeout }
    # 137 may be the limit's second signal, or someone else's.
    if [ "$status" -eq 137 ] && [ $(($(uptime) - began)) -ge $((${limit%.*} * 100 + (1${limit#*.} - 1000) / 10)) ]; then status=124; fi
    ;;
  *)
    status=${status%%[!0-9]*}
    [ "$status" -ne 124 ] || echo own >"$note"
    ;;
esac
exit "$status"
