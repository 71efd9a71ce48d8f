# shellcheck shell=sh
# bounded.sh GROUP SECONDS COMMAND…: runs a command in a process group of its own, and ends the whole group after SECONDS,
# by TERM, and by KILL 5 s later. The exit status is then 124. A TERM for this process ends the group, too.
#
# The file GROUP holds the group's id while the command runs, for stop.sh.
group=$1 seconds=$2
shift 2
# shellcheck disable=SC2016 # the inner shell expands it
exec timeout --kill-after=5 "$seconds" sh -c 'group=$1; shift; echo "$PPID" >"$group"; "$@"; status=$?; rm -f -- "$group"; exit "$status"' sh "$group" "$@"
