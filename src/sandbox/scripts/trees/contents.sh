# shellcheck shell=sh disable=SC2016 # the inner shell expands
# contents.sh PATH WITHIN MAX: prints "SIZE LENGTH", a newline, and the first LENGTH bytes, at most MAX, for each of the
# files below PATH whose paths are on standard input, each ended by a NUL. Prints "- 0" for a path that is no file.
max=$1
enter_directory
xargs -0 -r sh -c '
  max=$1
  shift
  for file; do
    # Without `command`, an exec that fails would end this shell.
    if [ -f "$file" ] && [ ! -L "$file" ] && command exec 3<"$file" && [ -f /proc/self/fd/3 ]; then
      size=$(stat -L -c %s /proc/self/fd/3)
      if [ "$size" -gt "$max" ]; then length=$max; else length=$size; fi
      echo "$size $length"
      # A file that shrinks meanwhile is filled up, so that what follows is still found.
      { head -c "$length" <&3; cat /dev/zero; } | head -c "$length"
      exec 3<&-
    else
      echo "- 0"
    fi
  done' sh "$max" 2>/dev/null
