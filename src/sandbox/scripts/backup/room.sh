# shellcheck shell=sh
# room.sh OWN BYTES: fails with 26 unless the disk of OWN has more than BYTES to spare.
set -eu
measure "$1"
# shellcheck disable=SC2154 # measure, of space.sh, sets it.
[ "$spare_kib" -gt $(($2 / 1024)) ] || {
  echo "the archives and their files do not fit on the container's disk: $(how_full "$1")" >&2
  exit 26
}
