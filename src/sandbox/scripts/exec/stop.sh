# shellcheck shell=sh
# stop.sh GROUP: ends all processes of the process group whose id is in the file GROUP, by TERM, and by KILL after 5 s.
#
# A new command may not have written the file yet; on a busy machine this takes seconds. A command that has ended has
# removed it.
set -u
tries=0
until [ -s "$1" ] || [ "$tries" -ge 100 ]; do
  tries=$((tries + 1))
  sleep 0.05
done
[ -f "$1" ] && read -r group 2>/dev/null <"$1" || exit 0
# A command may have changed the file. 1 would be all processes.
case $group in '' | *[!0-9]* | 0 | 1) exit 0 ;; esac
kill -s TERM -- "-$group" 2>/dev/null
tries=0
while kill -s 0 -- "-$group" 2>/dev/null && [ "$tries" -lt 100 ]; do
  tries=$((tries + 1))
  sleep 0.05
done
kill -s KILL -- "-$group" 2>/dev/null
rm -f -- "$1"
