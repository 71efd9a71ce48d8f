# shellcheck shell=sh disable=SC2154 # space.sh sets own, size and spare_kib
# store_part.sh PATH WITHIN DIR MAX_IMPORTS UPLOAD PART SIZE MAX_BYTES MAX_UPLOADS: stores standard input, which has
# SIZE bytes, as the file PART of the directory UPLOAD, and makes UPLOAD if it is missing. Replaces an existing PART.
# All parts together have at most MAX_BYTES.
#
# DIR is a work directory, always removed. Exit status in addition to those of paths.sh: 13 too large; 15 fewer bytes
# arrived; 23 others are at work, or the upload is being imported; 26 the disk has no room.
dir=$1 max_imports=$2 upload=$3 part=$4 expected=$5 max_bytes=$6 max_uploads=$7
finish() {
  stop_storing
  rm -rf -- "$dir"
}
trap finish EXIT
trap "trap '' HUP INT TERM; exit 143" HUP INT TERM

# not_imported: fails while the upload is being imported, because it is locked then.
not_imported() { [ ! -d "$upload" ] || flock --nonblock "$upload" true || fail 23 "the upload is being imported"; }

begin_import "$dir" "$max_imports"
not_imported
others=$(find "$own" -mindepth 1 -maxdepth 1 -type d -name 'upload-*' ! -path "$upload" | wc -l)
[ "$others" -lt "$max_uploads" ] || fail 23 "$others other uploads are not finished"
total=$expected
for other in "$upload"/*; do
  if [ -f "$other" ] && [ "$other" != "$upload/$part" ]; then total=$((total + $(stat -c %s -- "$other"))); fi
done
[ "$total" -le "$max_bytes" ] || fail 13 "the archive is larger than $max_bytes bytes"
measure "$own"
[ "$((expected / 1024))" -lt "$spare_kib" ] || fail 26 "the part does not fit on the disk: $(how_full "$own")"
store "$dir/part" "$expected"
[ "$size" -eq "$expected" ] || fail 15 "$size of $expected bytes arrived"

exec 7<"$own"
flock --wait 60 7 || fail 23 "another import is at work"
not_imported
[ -d "$upload" ] || mkdir -m 700 -- "$upload"
mv -fT -- "$dir/part" "$upload/$part"
