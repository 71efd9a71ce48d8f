# shellcheck shell=sh
# read_packed.sh PACKED GROUP: removes the name of the file PACKED, and prints the file. The file GROUP holds the id of
# this process group for stop.sh; the group's leader is this script's parent.
set -eu
trap 'rm -f -- "$2"' EXIT
trap "trap '' HUP INT TERM; exit 143" HUP INT TERM
echo "$PPID" >"$2"
exec 3<"$1"
rm -f -- "$1"
cat <&3
