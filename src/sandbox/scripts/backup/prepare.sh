# shellcheck shell=sh
# prepare.sh ARCHIVE SHA256: extracts ARCHIVE as ARCHIVE.tree, for a later restore.sh. On any failure both are removed.
set -eu
export LC_ALL=C
archive=$1 sha256=$2
own=${archive%/*}

finish() { rm -rf -- "$archive" "$archive.sum" "$archive.new"; }
trap finish EXIT
trap 'exit 143' HUP INT TERM

exec 9>"$own/lock"
flock --wait 60 9 || { echo "another backup or restore is at work" >&2; exit 23; }
extract "$archive" "$sha256" "$archive.new"
mv -T -- "$archive.new" "$archive.tree"
trap - EXIT
