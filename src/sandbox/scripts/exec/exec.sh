# shellcheck shell=sh # uptime.sh comes before this
# exec.sh NOTE GROUP LIMIT CWD KIND COMMAND…: runs a command, and ends its whole process group after LIMIT seconds.
# LIMIT has three digits after the point.
#
# The file GROUP holds the group's id while the command runs, for stop.sh. CWD may be empty. KIND is argv, or shell for
# a single string. The exit status is the command's own, except for 124: the limit ended the command, unless the file
# NOTE exists. NOTE then holds "own" (the command itself exited with 124) or "cwd" (there is no such directory). After
# 137 it holds "memory" if the kernel has ended a process meanwhile because memory ran out. The
# command has this script's standard input, output and error.
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

# oom_kills: sets ooms to how many processes the kernel has ended here because memory ran out. It looks where the
# container sees its own memory, else the machine's.
oom_kills() {
  ooms=0
  for counts in /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control /proc/vmstat; do
    [ -r "$counts" ] || continue
    while read -r name count; do [ "$name" != oom_kill ] || ooms=$count; done <"$counts"
    break
  done
}
oom_kills
ooms_before=$ooms
began=$(uptime)

# The command's own status comes back on descriptor 9, which neither the command nor its background processes inherit.
# If it does not come, the limit or a signal to the whole group came first. The status is then that of `timeout`, the
# leader of the group.
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
    # 137 may come from the limit's second signal, or from another signal.
    if [ "$status" -eq 137 ] && [ $(($(uptime) - began)) -ge $((${limit%.*} * 100 + (1${limit#*.} - 1000) / 10)) ]; then status=124; fi
    ;;
  *)
    status=${status%%[!0-9]*}
    [ "$status" -ne 124 ] || echo own >"$note"
    if [ "$status" -eq 137 ]; then
      oom_kills
      [ "$ooms" = "$ooms_before" ] || echo memory >"$note"
    fi
    ;;
esac
exit "$status"
