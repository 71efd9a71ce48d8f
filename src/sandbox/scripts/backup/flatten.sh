# shellcheck shell=sh
# flatten.sh FULL ARCHIVE SHA256 [LAYER SHA256]…: archives the tree of ARCHIVE and the layers on it as FULL,
# and prints "full SIZE SHA256". Touches nothing but files whose names begin with FULL, or with ARCHIVE.
#
# The name of a layer begins with ARCHIVE and a dot. "archive" and a position are printed before each archive is
# extracted. All archives are always removed. Exit status: 20 a checksum differs; 21 a tool is missing; 23 another
# backup or restore is at work; 26 the disk has no room; any other: it failed.
set -eu
export LC_ALL=C
full=$1 archive=$2
shift
own=${archive%/*}

finish() { rm -rf -- "$archive" "$archive".* "$full".*; }
trap finish EXIT
trap "trap '' HUP INT TERM; exit 143" HUP INT TERM

lock_out "$archive"
for tool in mksquashfs unsquashfs; do
  command -v "$tool" >/dev/null || { echo "$tool is not installed" >&2; exit 21; }
done

extract_chain "$archive.tree" "$@"
# mksquashfs takes two names of one symbolic link for two links if reading the first one changes its atime. So all links
# are read before.
find "$archive.tree" -type f -printf '%s\n' -o -type l -fprintf /dev/null '%l' >"$full.sizes"
# shellcheck disable=SC2046 # options without blanks
squash "$full" "$full.sizes" mksquashfs "$archive.tree" "$full" $(squash_options "$full.sizes") || {
  rm -f -- "$full"
  if out_of_room "$full.errors"; then
    echo "the archive does not fit on the container's disk: $(how_full "$own")" >&2
    exit 26
  fi
  tail -n 20 -- "$full.errors" >&2
  exit 1
}
sum=$(sha256sum <"$full")
echo "full $(stat -c %s -- "$full") ${sum%% *}"
