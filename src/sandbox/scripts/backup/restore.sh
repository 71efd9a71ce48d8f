# shellcheck shell=sh
# restore.sh ARCHIVE DIR SHA256 FRESH TAG ASIDE END MANIFEST [LAYER SHA256]…: replaces DIR with exactly the files of
# ARCHIVE and the layers on it, and notes that in MANIFEST.
#
# Uses the tree of prepare.sh, if there is one. SHA256 may be empty. FRESH is no, yes or image: whether DIR's children
# may be moved one by one if DIR itself cannot be renamed; image also requires a container in which no machine was
# restored. TAG makes the names beside DIR unique. DIR's earlier files are deleted. If ASIDE is not empty, they are
# moved there instead, and "aside" is printed. If END is not empty, the processes that use DIR are ended right before,
# and at most END of them are printed as "ended PID COMMAND". The name of a layer begins with ARCHIVE and a dot.
# "archive" and a position are printed before each archive is extracted. All archives are always removed. On any failure
# DIR stays unchanged. Exit status: 12 DIR lies behind a symbolic link; 20 a checksum differs; 21 a tool is missing; 22
# DIR cannot be renamed; 23 another backup or restore is at work; 24 processes that use DIR do not end; 33 a machine was
# restored; any other: the extraction or the swap failed.
set -eu
export LC_ALL=C
archive=$1 dir=$2 sha256=$3 fresh=$4 tag=$5 aside=$6 end=$7 manifest=$8
shift 8
own=${archive%/*}
# The image may begin commands in DIR. This script must not use DIR itself.
cd /
parent=$(dirname -- "$dir")
new=$parent/.snapshotter-$tag.new
old=${aside:-$parent/.snapshotter-$tag.old}
list=$own/restore-$tag.list noting=
made=

# discard TREE: moves TREE out of DIR's parent, which may be archived, and deletes it in the background, because many
# files take long. The next restore deletes leftovers of a background delete.
discard() {
  if mv --no-copy -T -- "$1" "$own/old-$tag" 2>/dev/null; then
    rm -rf -- "$own"/old-* >/dev/null 2>&1 9>&- &
  else
    rm -rf -- "$1"
  fi
}

finish() {
  # If the script is ended between the two renames, move DIR back.
  if [ -e "$old" ] && [ ! -e "$dir" ]; then mv --no-copy -T -- "$old" "$dir"; fi
  rm -rf -- "$new.probe" "$new.layer" "$archive" "$archive".*
  [ -n "$noting" ] || rm -f -- "$list.before"
  if [ -e "$new" ]; then discard "$new"; fi
  # If DIR was not made, remove the parents that were made for it; they hold only each other.
  if [ -n "$made" ] && [ ! -e "$dir" ]; then find "$made" -depth -type d -empty -delete; fi
}
trap finish EXIT
trap "trap '' HUP INT TERM; exit 143" HUP INT TERM

lock_out "$archive"
if [ "$fresh" = image ] && [ -e "$own/machine/restored" ]; then
  echo "the container is not fresh" >&2
  exit 33
fi

command -v unsquashfs >/dev/null || { echo "unsquashfs is not installed" >&2; exit 21; }
mv --help | grep -q -e --no-copy || { echo "mv has no --no-copy (coreutils 9.5 or newer)" >&2; exit 21; }
if [ "$(realpath -m -- "$dir")" != "$dir" ]; then
  echo "lies behind a symbolic link: it resolves to $(realpath -m -- "$dir")" >&2
  exit 12
fi
above=$parent
while [ ! -e "$above" ]; do
  made=$above
  above=$(dirname -- "$above")
done
mkdir -p -- "$parent"

# A prepared tree on another file system cannot be renamed.
if [ ! -d "$archive.tree" ] || ! mv --no-copy -T -- "$archive.tree" "$new" 2>/dev/null; then
  extract_chain "$new" "$archive" "$sha256" "$@"
fi
rm -rf -- "$archive" "$archive".*

# put_back: moves the children of $old back. A child that is in DIR too was being copied, and is complete in DIR.
put_back() {
  # shellcheck disable=SC2016 # the inner shell expands it
  find "$old" -mindepth 1 -maxdepth 1 -exec sh -c '
    dir=$1
    shift
    for child; do
      name=${child##*/}
      if [ ! -e "$dir/$name" ] && [ ! -L "$dir/$name" ]; then mv -t "$dir" -- "$child"; fi
    done' sh "$dir" {} +
  touch -d "@$was" -- "$dir"
  rm -rf -- "$old"
}

# replace_children: moves DIR's children away and the new ones in. Only for a sandbox made for this restore: processes
# of another sandbox would see the directory half replaced.
replace_children() {
  was=$(stat -c %.9Y -- "$dir")
  becomes=$(stat -c %.9Y -- "$new")
  mkdir -m 700 -- "$old"
  if ! find "$dir" -mindepth 1 -maxdepth 1 -exec mv -t "$old" -- {} +; then
    put_back
    return 1
  fi
  if ! find "$new" -mindepth 1 -maxdepth 1 -exec mv -t "$dir" -- {} +; then
    find "$dir" -mindepth 1 -delete
    put_back
    return 1
  fi
  chown --reference="$new" -- "$dir"
  chmod --reference="$new" -- "$dir"
  touch -d "@$becomes" -- "$dir"
  finish_with "$old"
}

# finish_with OLD: keeps or deletes OLD, which has DIR's earlier files.
finish_with() {
  if [ -n "$aside" ]; then echo aside; else discard "$1"; fi
}

# A path that changes after the swap has another ctime than when it was extracted (backup.sh).
# shellcheck disable=SC2154 # manifest.sh sets record
find "$new" -printf "$record" >"$list.before" || true
sleep 0.02

# An empty directory has no files to keep.
if [ -n "$aside" ] && [ -d "$dir" ] && [ -z "$(find "$dir" -mindepth 1 -maxdepth 1 -print -quit)" ]; then
  aside=
fi

# renamable: whether DIR can be renamed. Tries to rename it onto a directory that is not empty. This always fails, but
# with another error if DIR cannot be renamed.
renamable() {
  mkdir -m 700 -- "$new.probe"
  : >"$new.probe/full"
  case $(mv --no-copy -T -- "$dir" "$new.probe" 2>&1) in
    *"not empty"* | *"File exists"*) return 0 ;;
    *) return 1 ;;
  esac
}

not_renamable() {
  echo "is part of the image, or a mount, and can't be renamed" >&2
  exit 22
}

if [ -n "$end" ] && [ -e "$dir" ]; then
  # End no process if the swap is impossible.
  renamable || not_renamable
  end_users "$dir" "$end"
fi

# From here on it is too late to end this script: it reports what it has done.
trap '' HUP INT TERM
if [ ! -e "$dir" ]; then
  mv --no-copy -T -- "$new" "$dir"
elif [ -z "$aside" ] && mv --exchange --no-copy -T -- "$new" "$dir" 2>/dev/null; then
  : # an atomic swap: $new now has DIR's earlier files, and is discarded
elif mv --no-copy -T -- "$dir" "$old" 2>/dev/null; then
  # The file system cannot exchange, or DIR's earlier files must stay.
  mv --no-copy -T -- "$new" "$dir"
  finish_with "$old"
elif [ "$fresh" != no ]; then
  replace_children
else
  not_renamable
fi

# note_restored: notes in MANIFEST what DIR holds. The swap may have given another ctime to what lies directly in DIR, and
# another inode to DIR. Everything else must be as before: if not, a program has changed it already.
note_restored() {
  sleep 0.02
  restored_at=$(clock)
  find "$dir" -printf "$record" >"$list"
  for one in "$list" "$list.before"; do
    sed -z -E 's/^(0) [0-9.]+ (. [0-7]+ [0-9]+ [0-9]+) [0-9]+ [0-9]+:[0-9]+ /\1 \2 /; s/^1 [0-9.]+ /1 /' -- "$one" >"$one.as-swapped"
  done
  if notes_changes "$dir" && cmp -s -- "$list.as-swapped" "$list.before.as-swapped"; then
    keep_manifest "$manifest" "$chain" "$restored_at" "$list"
  fi
}
rm -f -- "$manifest" "$manifest.tree"
chain=$sha256
while [ $# -gt 0 ]; do
  chain=$chain+$2
  shift 2
done
# In the background: only the next backup or restore waits for it, by the lock.
if [ -n "$sha256" ]; then
  noting=yes
  (
    trap 'rm -f -- "$list" "$list".*' EXIT
    note_restored
  ) >/dev/null 2>&1 &
fi
