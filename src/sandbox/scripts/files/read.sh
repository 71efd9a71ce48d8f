# shellcheck shell=sh
# read.sh PATH WITHIN MAX: prints a regular file, if it has at most MAX bytes.
open_file
[ "$(stat -L -c %s -- /proc/self/fd/3)" -le "$1" ] || fail 13 "is larger"
cat <&3
