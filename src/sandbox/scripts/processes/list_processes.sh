# shellcheck shell=sh
# list_processes.sh ALL: tells of all processes.
set -u
for dir in "$1"/*/; do
  dir=${dir%/}
  [ ! -e "$dir/leader" ] || tell "$dir"
done
