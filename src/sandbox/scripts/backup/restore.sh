# shellcheck shell=sh
# restore.sh ARCHIVE DIR SHA256 FRESH TAG ASIDE END: puts exactly the files of ARCHIVE in place of DIR.
#
# Uses what prepare.sh has extracted. SHA256 may be empty. FRESH says whether DIR's children may be moved one by one where DIR itself can't be
# renamed: yes or no. TAG makes the names beside DIR unique. What DIR holds goes; or to ASIDE, where that is not empty,
# and then "aside" is printed. Where END is not empty, the processes that use DIR are ended right before, and of END of
# them a line "ended PID COMMAND" is printed. ARCHIVE is removed in any case. Whatever fails, DIR is as it was. Exit
# status: 12 DIR is behind a symbolic link; 20 the checksum differs; 21 a tool is missing; 22 DIR can't be renamed; 23
# another one is at work; 24 processes that use DIR do not end; else the extraction or the swap failed.
set -eu
export LC_ALL=C
archive=$1 dir=$2 sha256=$3 fresh=$4 tag=$5 aside=$6 end=$7
own=${archive%/*}
# Not in the way of what it ends, wherever the image has its commands begin.
cd /
parent=$(dirname -- "$dir")
new=$parent/.snapshotter-$tag.new
old=${aside:-$parent/.snapshotter-$tag.old}
made=

# discard TREE: deletes it, which takes as long as it has files; so the caller does not wait. In DIR's parent, which may
# be archived, it is gone at once. The next restore deletes what a background delete left.
discard() {
  if mv --no-copy -T -- "$1" "$own/old-$tag" 2>/dev/null; then
    rm -rf -- "$own"/old-* >/dev/null 2>&1 9>&- &
  else
    rm -rf -- "$1"
  fi
}

finish() {
  # Ended between the two renames: the target comes back.
  if [ -e "$old" ] && [ ! -e "$dir" ]; then mv --no-copy -T -- "$old" "$dir"; fi
  rm -rf -- "$new.probe" "$archive" "$archive.sum" "$archive.tree"
  if [ -e "$new" ]; then discard "$new"; fi
  # Parents made for a target that did not come about hold nothing but each other.
  if [ -n "$made" ] && [ ! -e "$dir" ]; then find "$made" -depth -type d -empty -delete; fi
}
trap finish EXIT
trap 'exit 143' HUP INT TERM

# One backup or restore at a time, also where one outlived the object that began it. What such a one left is removed.
exec 9>"$own/lock"
flock --wait 60 9 || { echo "another backup or restore is at work" >&2; exit 23; }
for left in "$own"/backup-* "$own"/restore-*; do
  case $left in
    "$archive" | "$archive.tree") ;;
    *) rm -rf -- "$left" ;;
  esac
done

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

# On another file system it can't be renamed.
if [ ! -d "$archive.tree" ] || ! mv --no-copy -T -- "$archive.tree" "$new" 2>/dev/null; then
  extract "$archive" "$sha256" "$new"
fi
rm -rf -- "$archive" "$archive.tree"

# put_back: moves the children of $old back. One that DIR has as well was being copied, and is whole in DIR.
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

# Only for a sandbox made for this restore: others would see the directory half replaced.
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

# finish_with OLD: OLD is what DIR held; it is kept or goes.
finish_with() {
  if [ -n "$aside" ]; then echo aside; else discard "$1"; fi
}

# There is nothing to keep of an empty directory.
if [ -n "$aside" ] && [ -d "$dir" ] && [ -z "$(find "$dir" -mindepth 1 -maxdepth 1 -print -quit)" ]; then
  aside=
fi

# renamable: whether DIR can be renamed. A rename onto a directory that is not empty fails in any case; because of that,
# where nothing else forbids it.
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
  # No process is ended for a swap that can't be.
  renamable || not_renamable
  end_users "$dir" "$end"
fi

if [ ! -e "$dir" ]; then
  mv --no-copy -T -- "$new" "$dir"
elif [ -z "$aside" ] && mv --exchange --no-copy -T -- "$new" "$dir" 2>/dev/null; then
  : # at once: what was DIR is $new now, and goes
elif mv --no-copy -T -- "$dir" "$old" 2>/dev/null; then
  # A file system that can't exchange, or what was DIR is to stay.
  mv --no-copy -T -- "$new" "$dir"
  finish_with "$old"
elif [ "$fresh" = yes ]; then
  replace_children
else
  not_renamable
fi
