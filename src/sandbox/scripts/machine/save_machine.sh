# shellcheck shell=sh
# save_machine.sh ARCHIVE ROOT DIRS KNOWN: archives the part of the machine that differs from the image, and
# prints "machine SIZE SHA256 IMAGE". If nothing has changed since the archive KNOWN, prints "unchanged" instead. KNOWN
# may be empty. On stderr, "note: WORD" tells why the next archive will be made although nothing may have changed.
#
# Exit status: 20 the files changed meanwhile, try again; 21 a tool is missing; 23 another backup or restore is at work; 26
# the disk has no room for the archive; 31 it is not known what the image has; 40 it took too long; any other: it failed.
set -eu
export LC_ALL=C
archive=$1 root=$2 dirs=$3 known=$4
own=${archive%/*}
state=$own/machine

command -v mksquashfs >/dev/null || { echo "mksquashfs is not installed" >&2; exit 21; }
exec 9>"$own/lock"
flock --wait 60 9 || { echo "another backup or restore is at work" >&2; exit 23; }
rm -rf -- "$own"/machine-*
read -r image <"$state/image" 2>/dev/null || { echo "the image's list of files was not recorded" >&2; exit 31; }

no_room() {
  rm -f -- "$archive"
  echo "the archive of the machine does not fit on the container's disk: $(how_full "$own")" >&2
  exit 26
}
measure "$own"
# shellcheck disable=SC2154 # measure, of space.sh, sets it.
[ "$spare_kib" -gt 0 ] || no_room
trap 'rm -rf -- "$archive".*' EXIT
trap "trap '' HUP INT TERM; exit 143" HUP INT TERM

listed_at=$(clock) || listed_at=
list_machine "$archive.list" "$own" "$root" "$dirs" || exit 20
if [ -n "$known" ] && is_of "$state/saved" "$known" && cmp -s -- "$state/saved.tree" "$archive.list.stable"; then
  echo unchanged
  exit 0
fi
replaced=$(find_replaced "$state/image.tree" "$own" "$root" "$dirs")
if [ -n "$replaced" ]; then
  echo "$replaced is no longer a directory: it must be one, because every container has files below it when it starts" >&2
  exit 1
fi
hide_left_out "$state/image.tree" "$own" "$root" "$dirs" >"$archive.image"
found=0
find_changes "$archive.image" "$archive.list" '' "$archive" || found=$?
case $found in
  0) ;;
  2)
    name=$(cat -- "$archive.came" "$archive.went" | sed -z -n '/\n/ { s:.*//::; p; q }' | tr '\n\0' '?\n')
    echo "outside the workspace, a name or the target of a link has a line end in it: /$name" >&2
    exit 1
    ;;
  *)
    echo "outside the workspace, files changed while they were listed" >&2
    exit 20
    ;;
esac
sleep 0.02
holds_all=no
if ! tells_changes "${root:-/}"; then
  echo "note: filesystem" >&2
elif is_written "$root" "$archive.list" no; then
  echo "note: writers" >&2
else
  holds_all=yes
fi

tr '\0' '\n' <"$archive.list" | awk '$3 == "f" { print $7 }' >"$archive.sizes"
# shellcheck disable=SC2046 # options without blanks
set -- "$archive" $(squash_options "$archive.sizes")
status=0
squash_all "${root:-/}" "$archive.list" "$archive" archive_changes "${root:-/}" "$@" || status=$?
if [ "$status" -ne 0 ]; then
  ! out_of_room "$archive.errors" || no_room
  tail -n 20 -- "$archive.errors" >&2
  [ "$status" -ne 124 ] || exit 40
  exit 20
fi

sum=$(sha256sum <"$archive")
sum=${sum%% *}
rm -f -- "$state/saved" "$state/saved.tree"
if [ "$holds_all" = yes ]; then keep_manifest "$state/saved" "$sum" "$listed_at" "$archive.list.stable"; fi
echo "machine $(stat -c %s -- "$archive") $sum $image"
