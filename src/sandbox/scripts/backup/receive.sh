# shellcheck shell=sh
# Precedes the scripts that extract archives, and takes COUNT and COUNT times PATH SIZE before their arguments. Stores
# standard input as these files, one after the other. Exit status: 15 not all input arrived; 26 the disk has no room.
receiving=$1
shift
while [ "$receiving" -gt 0 ]; do
  head -c "$2" >"$1" || {
    echo "the archive does not fit on the container's disk" >&2
    exit 26
  }
  found=$(stat -c %s -- "$1")
  if [ "$found" != "$2" ]; then
    echo "$found of $2 bytes arrived" >&2
    exit 15
  fi
  receiving=$((receiving - 1))
  shift 2
done
