# shellcheck shell=sh
# read_part.sh PATH WITHIN UNIT FIRST COUNT MAX: prints the line "SIZE OFFSET", then a part of a regular file.
#
# SIZE is the size of the whole file and OFFSET the beginning of the part, both in bytes. UNIT is bytes or lines. The
# part has COUNT units from unit FIRST on, but at most MAX bytes. Bytes count from 0, lines from 1.
unit=$1 first=$2 count=$3 max=$4
open_file
size=$(stat -L -c %s -- /proc/self/fd/3)
# Each reader opens the file anew through the descriptor, because readers of one descriptor would share its position.
if [ "$unit" = bytes ]; then
  echo "$size $first"
  tail -c "+$((first + 1))" </proc/self/fd/3 | head -c "$count" | head -c "$max"
else
  echo "$size $(head -n "$((first - 1))" </proc/self/fd/3 | wc -c)"
  tail -n "+$first" </proc/self/fd/3 | head -n "$count" | head -c "$max"
fi
