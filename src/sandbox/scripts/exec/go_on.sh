# shellcheck shell=sh
# go_on.sh NEWS: asks the exec.sh that reads the FIFO NEWS to let its command go on as a background process. If the
# command has ended, nobody reads NEWS any more.
#
# A new command may not have made the FIFO yet; on a busy machine this takes seconds.
set -u
tries=0
until [ -p "$1" ] || [ "$tries" -ge 100 ]; do
  tries=$((tries + 1))
  sleep 0.05
done
[ -p "$1" ] || exit 0
# Open for reading too, so that this never waits.
exec 9<>"$1"
echo 'hand over' >&9
