# shellcheck shell=sh
# read_part.sh PATH WITHIN UNIT FIRST COUNT MAX: prints "SIZE OFFSET" in a line, then a part of a regular file.
#
# SIZE is that of the whole file, OFFSET where in it the part begins, in bytes. UNIT is bytes: COUNT from byte FIRST on,
# the first byte being 0; or lines: COUNT from line FIRST on, the first line being 1. At most MAX bytes in both cases.
unit=$1 first=$2 count=$3 max=$4
open_file
size=$(stat -L -c %s -- /proc/self/fd/3)
# Each reader opens the file anew through its descriptor, because those of one descriptor would share a position.
if [ "$unit" = bytes ]; then
  echo "$size $first"
  tail -c "+$((first + 1))" </proc/self/fd/3 | head -c "$count" | head -c "$max"
else
  echo "$size $(head -n "$((first - 1))" </proc/self/fd/3 | wc -c)"
  tail -n "+$first" </proc/self/fd/3 | head -n "$count" | head -c "$max"
fi
