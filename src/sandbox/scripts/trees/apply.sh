# shellcheck shell=sh disable=SC2016,SC2154 # the inner shells expand; paths.sh sets path
# apply.sh PATH WITHIN DIR MAX_BYTES MAX_IMPORTS: makes the changes of the tar archive on standard input in the
# directory PATH. Prints "begun" before the first change: a failure before that changes nothing.
#
# The archive has lists, whose fields each end with a NUL, and the directory tree, whose content is put in place:
#   expect   records, in the order of their bytes, that the tree must have
#   absent   paths that it must not have
#   files    paths to remove: files and links
#   dirs     paths of directories to remove if they are empty by then, the deepest first
#   access   mode, UID:GID and path of each entry that gets this mode and owner
# DIR is a work directory, always removed. Exit status in addition to those of paths.sh: 13 too large; 16 the tree is
# not as expected; 23 others are at work; 26 the disk has no room; 36 a process has a database open that would change.
dir=$1 max_bytes=$2 max_imports=$3
# chown removes the bits that let others run a file as its owner, so chmod comes after it. It also removes capabilities,
# even if the owner stays the same.
give='while [ "$#" -gt 0 ]; do
  [ "$(stat -c %u:%g -- "./$3")" = "$2" ] || chown -h -- "$2" "./$3"
  [ -L "./$3" ] || chmod -- "$1" "./$3"
  shift 3
done'
staged=$dir/changes
finish() {
  stop_storing
  rm -rf -- "$dir" "$staged"
}
trap finish EXIT
trap "trap '' HUP INT TERM; exit 143" HUP INT TERM
command -v tar >/dev/null || fail 21 "tar is not installed"
enter_directory
target=$(pwd -P && echo x)
target=${target%?x}
begin_import "$dir" "$max_imports"
store "$dir/archive" "$max_bytes"
# Extracts beside the tree only if a move from DIR would be a copy.
if [ "$(stat -c %d -- "$dir")" != "$(stat -c %d -- "$target")" ]; then staged=${target%/*}/.snapshotter-${dir##*/}; fi
mkdir -m 700 -- "$staged"
tar --extract --file="$dir/archive" --directory="$staged" --numeric-owner --same-owner --same-permissions --xattrs \
  --xattrs-include='user.*' --xattrs-include=security.capability --delay-directory-restore --warning=no-unknown-keyword --warning=no-timestamp || fail 15 "the changes did not arrive whole"
# An archive that ends between two entries reads like a whole one.
tail -c 1024 -- "$dir/archive" >"$dir/end"
end=$(tr -d '\0' <"$dir/end")
[ -z "$end" ] || fail 15 "the changes did not arrive whole"
rm -f -- "$dir/archive"

# With the lock, no backup captures half of the changes.
exec 9>"$own/lock"
flock --wait 60 9 || fail 23 "a backup or restore is at work"
# After an undo, which puts another directory in place, these changes would come too late.
[ "$(stat -c %d:%i .)" = "$(stat -c %d:%i -- "$target" || true)" ] || fail 16 "files were replaced meanwhile"
list_tree >"$dir/now"
comm -z -23 -- "$staged/expect" "$dir/now" >"$dir/unexpected"
[ ! -s "$dir/unexpected" ] || fail 16 "files were changed meanwhile"
xargs -0 -r sh -c 'for path; do [ ! -e "./$path" ] && [ ! -L "./$path" ] || exit 1; done' sh <"$staged/absent" ||
  fail 16 "files were made meanwhile"
{
  (cd -- "$staged/tree" && find . -type f -print0)
  sed -z 's:^:./:' "$staged/files"
} | spare_databases "$dir/database"

echo begun
xargs -0 -r rm -f -- <"$staged/files"
# A directory that others have put something into stays.
xargs -0 -r rmdir --ignore-fail-on-non-empty -- <"$staged/dirs"
stale_companions "$staged/tree" | xargs -0 -r rm -f --
merge "$staged/tree" "$target"
# Without -s, xargs could split a triple of long paths.
xargs -0 -r -n 300 -s 500000 sh -e -c "$give" sh <"$staged/access"
