# shellcheck shell=sh
# room.sh OWN BYTES: fails with 26 unless the disk of OWN has more than BYTES to spare: eight times the size of the
# archives.
set -eu
measure "$1"
# shellcheck disable=SC2154 # measure, of space.sh, sets it.
[ "$spare_kib" -gt $(($2 / 1024)) ] || {
  echo "the archives and their files may not fit on the container's disk. How large the files are is not known yet, so $(mib "$(($2 / 1024))") must be free beside what is kept, eight times what the archives take: $(how_full "$1")" >&2
  exit 26
}
