# shellcheck shell=sh disable=SC2154 # paths.sh sets path and root
# import.sh PATH WITHIN DIR MAX_BYTES MAX_ENTRIES MAX_IMPORTS CHECK [UPLOAD PARTS SHA256]: extracts the tar archive on
# standard input into the directory PATH, makes PATH if it is missing, and prints what import.awk prints.
#
# With the directory UPLOAD, its files 1 to PARTS are the archive; they are removed once it is imported. SHA256 may be
# empty. DIR is a work directory, always removed. CHECK is the text of import.awk. The script checks the whole archive,
# extracts it in DIR, and then moves it: each file atomically replaces the file of its name, and directories are merged.
# Nothing changes before the move. Exit status in addition to those of paths.sh: 13 too large; 14 something in the tree
# is in the way; 18 refused; 20 another SHA-256; 23 others are at work; 26 the disk has no room; 27 parts are missing; 30
# some files have been placed; 36 a process has a database open that a file of the archive belongs to.
dir=$1 max_bytes=$2 max_entries=$3 max_imports=$4 check=$5 upload=${6-} parts=${7-} sum=${8-}
staged=$dir/tree
finish() {
  status=$?
  stop_storing
  rm -rf -- "$dir" "$staged"
  if [ "$status" -ne 0 ] && [ -n "$placing" ]; then exit 30; fi
}
placing=
trap finish EXIT
trap "trap '' HUP INT TERM; exit 143" HUP INT TERM

# archive: prints the archive.
archive() {
  if [ -z "$upload" ]; then
    cat -- "$dir/archive"
    return
  fi
  part=0
  while [ "$part" -lt "$parts" ]; do
    part=$((part + 1))
    cat -- "$upload/$part"
  done
}

# open_upload: locks UPLOAD and checks its parts. Sets size, or fails.
open_upload() {
  exec 7<"$own"
  flock --wait 60 7 || fail 23 "another import is at work"
  [ -d "$upload" ] || fail 27 "no part of the upload is there"
  exec 6<"$upload"
  flock --nonblock 6 || fail 23 "the upload is being imported"
  exec 7<&-
  size=0 part=0 missing='' count=0
  while [ "$part" -lt "$parts" ]; do
    part=$((part + 1))
    if [ -f "$upload/$part" ]; then
      size=$((size + $(stat -c %s -- "$upload/$part")))
    else
      count=$((count + 1))
      [ "$count" -gt 20 ] || missing="$missing $part"
    fi
  done
  [ "$count" -le 20 ] || missing="$missing and $((count - 20)) more"
  [ "$count" -eq 0 ] || fail 27 "parts of the upload are missing:$missing"
  set -- "$upload"/*
  [ "$#" -eq "$parts" ] || fail 14 "the upload has $# parts, not $parts"
  [ "$size" -le "$max_bytes" ] || fail 13 "the archive is larger than $max_bytes bytes"
  if [ -n "$sum" ]; then
    found=$(archive | sha256sum)
    [ "${found%% *}" = "$sum" ] || fail 20 "the archive has the SHA-256 ${found%% *}"
  fi
}

for tool in tar awk; do
  command -v "$tool" >/dev/null || fail 21 "$tool is not installed"
done
tar --version 2>/dev/null | grep -q 'GNU tar' || fail 21 "GNU tar is not installed"

target=$(realpath -m -- "$path" && echo x)
target=${target%?x}
inside "$target"
above=$target
while [ ! -e "$above" ]; do
  [ ! -L "$above" ] || fail 12 "is a broken symbolic link"
  above=${above%/*}
  above=${above:-/}
done
[ -d "$above" ] || fail 12 "is not a directory"

begin_import "$dir" "$max_imports"
if [ -n "$upload" ]; then open_upload; else store "$dir/archive" "$max_bytes"; fi
[ "$size" -gt 0 ] || fail 18 "the archive is empty"

# tar does not uncompress standard input. The list marks the extended attributes that are not kept.
listed=yes
archive | tar --list --verbose --block-number --numeric-owner --full-time --utc --quoting-style=c --absolute-names --file=- \
  --xattrs --xattrs-include='*' --xattrs-exclude='user.*' --warning=no-unknown-keyword >"$dir/list" 2>"$dir/errors" || listed=no
if [ "$listed" = no ]; then
  why=$(grep -v 'Exiting with failure' "$dir/errors" | tail -n 1)
  fail 18 "the archive can't be read: ${why#tar: }"
fi
found=$(awk -v max_bytes="$max_bytes" -v max_entries="$max_entries" "$check" "$dir/list")
case $found in
  refuse*) fail 18 "the archive is refused: ${found#refuse }" ;;
  large*) fail 13 "the archive ${found#large }" ;;
esac

room_for=$((${found##* } / 1024))
measure "$own"
[ "$room_for" -le "$spare_kib" ] || fail 26 "the archive's files, $(mib "$room_for"), do not fit on the disk: $(how_full "$own")"

# Extracts beside the target only if a move from DIR would be a copy.
if [ "$(stat -c %d -- "$dir")" != "$(stat -c %d -- "$above")" ]; then staged=$above/.snapshotter-${dir##*/}; fi
mkdir -m 700 -- "$staged"
# As root, tar would restore the files' owners.
if ! archive | tar --extract --file=- --directory="$staged" --no-same-owner --same-permissions --delay-directory-restore \
  --xattrs --xattrs-include='user.*' --warning=no-unknown-keyword --warning=no-timestamp 2>"$dir/errors"; then
  why=$(grep -v 'Exiting with failure' "$dir/errors" | tail -n 1)
  case $why in
    *'No space left on device') fail 1 "the disk is full" ;;
    *) fail 18 "the archive can't be extracted: ${why#tar: }" ;;
  esac
fi
rm -f -- "$dir/archive" "$dir/list"
find "$staged" ! -type l -perm /7000 -exec chmod u-s,g-s,-t -- {} +
odd=$(find "$staged" ! -type f ! -type d ! -type l -print -quit)
[ -z "$odd" ] || fail 18 "the archive is refused: ${odd#"$staged"/}: is not a file, directory or link"

# in_the_way FROM TO: fails if FROM can neither replace TO nor be merged into it.
in_the_way() {
  if is_directory "$1"; then
    if [ -L "$2" ]; then fail 14 "${2#"$target"/}: is a symbolic link there, and a directory in the archive"; fi
    if is_directory "$2"; then each in_the_way "$1" "$2"; return; fi
    [ ! -e "$2" ] || fail 14 "${2#"$target"/}: is no directory there, and one in the archive"
  elif is_directory "$2"; then
    fail 14 "${2#"$target"/}: is a directory there, and none in the archive"
  fi
}

# With the lock, no backup captures half of the import.
exec 9>"$own/lock"
flock --wait 60 9 || fail 23 "a backup or restore is at work"
each in_the_way "$staged" "$target"
if [ -d "$target" ]; then
  cd -P -- "$target" || exit
  (cd -- "$staged" && find . -type f -print0) | spare_databases "$dir/database"
  placing=yes
  stale_companions "$staged" | xargs -0 -r rm -f --
fi
placing=yes
mkdir -p -- "$target"
merge "$staged" "$target"
[ -z "$upload" ] || rm -rf -- "$upload"
echo "$found"
