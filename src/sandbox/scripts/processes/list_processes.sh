# shellcheck shell=sh
# list_processes.sh ALL: prints a line of tell for each process.
set -u
for dir in "$1"/*/; do
  dir=${dir%/}
  [ ! -e "$dir/leader" ] || tell "$dir"
done
