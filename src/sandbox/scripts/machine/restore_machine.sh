# shellcheck shell=sh
# restore_machine.sh ARCHIVE SHA256 ROOT DIRS IMAGE FORCE: restores the machine that ARCHIVE holds, in a fresh container
# of the image IMAGE. With FORCE yes, the image may be another one. Removes ARCHIVE. If it fails, the container is of no
# use.
#
# Exit status: 20 the checksum differs; 21 a tool is missing; 23 another backup or restore is at work; 31 it is not known
# what the image has; 32 the image is another one, which is printed; 33 the container is not fresh; any other: the
# extraction failed.
set -eu
export LC_ALL=C
archive=$1 sha256=$2 root=$3 dirs=$4 image=$5 force=$6
own=${archive%/*}
state=$own/machine new=$archive.new
cd /
trap 'rm -rf -- "$archive" "$archive".*' EXIT
trap "trap '' HUP INT TERM; exit 143" HUP INT TERM
lock_out "$archive"

command -v unsquashfs >/dev/null || { echo "unsquashfs is not installed" >&2; exit 21; }
command -v tar >/dev/null || { echo "tar is not installed" >&2; exit 21; }
read -r own_image <"$state/image" 2>/dev/null || { echo "the image's list of files was not recorded" >&2; exit 31; }
if [ "$own_image" != "$image" ] && [ "$force" != yes ]; then
  echo "$own_image"
  exit 32
fi
if [ -e "$state/restored" ]; then
  [ "$(cat -- "$state/restored")" != "$sha256" ] || exit 0
  echo "the container is not fresh" >&2
  exit 33
fi
# The restore is incomplete until this file names the archive.
echo incomplete >"$state/restored"

# From here on, this script must not run the container's own tools: they are replaced, too.
keep_tools "$own"
use_tools "$own"

# is_kept PATH: whether PATH or something below it must stay because it belongs to no machine.
left_out "$own" "$root" "$dirs" >"$archive.kept"
is_kept() {
  while IFS= read -r kept; do
    case $kept/ in "/$1"/*) return 0 ;; esac
    case /$1/ in "$kept"/*) return 0 ;; esac
  done <"$archive.kept"
  return 1
}

extract_changes "$new" "$archive" "$sha256"
# Our archives hold nothing that is left out.
while IFS= read -r kept; do
  above=${kept%/*}
  if is_directory "$new" "${above#/}"; then rm -rf -- "$new${kept:?}"; fi
done <"$archive.kept"

# A directory that the image lacks is renamed with all that is in it. In all other directories, each file is renamed, so
# that no program is ever missing or incomplete: other programs may be running.
find "$new" -mindepth 1 -type d -printf '%P\n' >"$archive.directories"
# Saves modes, owners, times and attributes of directories. The first three change while files move.
find "$new" -type d -printf './%P\0' >"$archive.attributed"
tar -C "$new" --null --no-recursion -T "$archive.attributed" --xattrs --xattrs-include='user.*' -cf "$archive.attributes"
# shellcheck disable=SC2154 # manifest.sh sets record
find "$new" -printf "$record" >"$archive.placed"
while IFS= read -r path; do
  [ -d "$new/$path" ] || continue
  if [ -d "$root/$path" ] && [ ! -L "$root/$path" ]; then continue; fi
  # A program that was started through the replaced link goes on, because the new directory is there at once.
  if [ -e "$root/$path" ] || [ -L "$root/$path" ]; then rm -f -- "$root/$path"; fi
  mv -T -- "$new/$path" "$root/$path"
done <"$archive.directories"
find "$new" ! -type d -printf '%P\n' | while IFS= read -r path; do
  if [ -d "$root/$path" ] && [ ! -L "$root/$path" ] && ! is_kept "$path"; then rm -rf -- "$root/${path:?}"; fi
done

# place TEST…: moves the files that pass these tests of find.
place() {
  find "$new" ! -type d "$@" -printf '%h\n' | sort -u | while IFS= read -r from; do
    find "$from" -mindepth 1 -maxdepth 1 ! -type d "$@" -exec mv -f -t "$root${from#"$new"}/" -- {} +
  done
}
# Libraries arrive before the programs that need them, and go after them.
place -type f -name '*.so*'
place -name '*.so*'
place -true
forgotten=$(find "$new" ! -type d -print -quit)
[ -z "$forgotten" ] || { echo "${forgotten#"$new"} was not put in place" >&2; exit 1; }
while IFS= read -r path; do
  case $path in */*) above=${path%/*} ;; *) above= ;; esac
  if is_directory "$root" "$above" && ! is_kept "$path"; then printf '%s\0' "$root/$path"; fi
done <"$archive.gone" >"$archive.removed"
xargs -0 -r -a "$archive.removed" rm -rf --
tar -C "${root:-/}" -xpf "$archive.attributes" --numeric-owner --same-owner --xattrs --xattrs-include='user.*'

# is_as_archived: whether the machine is the image with the archive's changes, and nothing else. A program that began
# with the container may have written meanwhile, and the list includes what it wrote. Placed paths have new ctimes;
# directories differ in more than that. Of the directories above the workspace, only the content counts.
is_as_archived() {
  set -- "$archive.placed" "$archive.list" "$state/image.tree" "$archive.list.stable"
  for list; do
    # A name of the image may have a line end in it.
    tr '\n\0' '\001\n' <"$list" >"$archive.lines-$#" || return 1
    set -- "$@" "$archive.lines-$#"
  done
  shift 4
  awk -v gone="$archive.gone" '
    function note() {
      match($0, /.*\/\//); path = substr($0, RLENGTH + 1)
      target = $0; for (field = 1; field <= 10; field++) sub(/^[^ ]* /, "", target)
      what = $3 " " $4 " " $5 " " $6
      if ($3 != "d") what = what " " $7 " " $8 " " $10 " " target
    }
    BEGIN { while ((getline line <gone) > 0) left[line] = 1 }
    FILENAME != file { file = FILENAME; part++ }
    { note() }
    part == 1 { placed[path] = what; type[path] = $3; next }
    part == 2 {
      listed[path] = 1
      if (path in placed) { if (placed[path] != what) exit 1; next }
      found[path] = $0; next
    }
    part == 3 {
      if (path in placed) next
      if (path in found) { image[path] = 1; if ($3 == "d" && $0 != found[path]) changed[path] = what; else if ($0 != found[path]) exit 1; next }
      above = path
      while (!(above in left) && (!(above in type) || type[above] == "d")) if (!sub(/\/[^\/]*$/, "", above)) exit 1
      next
    }
    # Directories above the workspace are listed with the ctime 0.
    path in changed && ($2 != 0 || changed[path] != what) { exit 1 }
    END {
      for (path in placed) if (!(path in listed)) exit 1
      for (path in found) if (!(path in image)) exit 1
    }' "$@"
}

# Anything that changes after the list was made has another ctime than in it.
sleep 0.02
restored_at=$(clock)
list_machine "$archive.list" "$own" "$root" "$dirs"
rm -f -- "$state/saved" "$state/saved.tree"
if tells_changes "${root:-/}" && is_as_archived && ! is_written "$root" "$archive.list" no; then
  keep_manifest "$state/saved" "$sha256" "$restored_at" "$archive.list.stable"
fi
echo "$sha256" >"$state/restored"
