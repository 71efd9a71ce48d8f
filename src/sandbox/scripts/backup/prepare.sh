# shellcheck shell=sh
# prepare.sh ARCHIVE SHA256 [LAYER SHA256]…: extracts ARCHIVE, and the layers on it, as ARCHIVE.tree, for a later
# restore.sh. The name of a layer begins with ARCHIVE and a dot. On any failure all archives are removed.
set -eu
export LC_ALL=C
archive=$1
own=${archive%/*}

finish() { rm -rf -- "$archive" "$archive".*; }
trap finish EXIT
trap "trap '' HUP INT TERM; exit 143" HUP INT TERM

exec 9>"$own/lock"
flock --wait 60 9 || { echo "another backup or restore is at work" >&2; exit 23; }
extract_chain "$archive.new" "$@"
mv -T -- "$archive.new" "$archive.tree"
trap - EXIT
