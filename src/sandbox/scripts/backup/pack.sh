# shellcheck shell=sh
# pack.sh PACKED ARCHIVE SHA256 [LAYER SHA256]…: packs the tree of ARCHIVE and the layers on it as PACKED, a tar archive
# compressed with zstd, and prints "full SIZE SHA256". Touches nothing but files whose names begin with PACKED, or with
# ARCHIVE.
#
# The archive has the form that the Sandbox SDK 1.0 takes: pax format, the directory itself as first entry, and each
# directory before its content. It has files, directories and links. The name of a layer begins with ARCHIVE and a dot.
# "archive" and a position are printed before each archive is extracted. All archives are always removed. Exit status:
# 20 a checksum differs; 21 a tool is missing; 23 another backup or restore is at work; 26 the disk has no room; any
# other: it failed.
set -eu
# Names are bytes.
export LC_ALL=C
packed=$1 archive=$2
shift
own=${archive%/*} done=
finish() {
  rm -rf -- "$archive" "$archive".* "$packed".*
  [ -n "$done" ] || rm -f -- "$packed"
}
trap finish EXIT
trap "trap '' HUP INT TERM; exit 143" HUP INT TERM

lock_out "$archive"
for tool in unsquashfs tar; do
  command -v "$tool" >/dev/null || { echo "$tool is not installed" >&2; exit 21; }
done
command -v zstd >/dev/null || { echo "zstd is not installed in the container's image" >&2; exit 21; }
# A file that nobody has read for an hour belongs to a call that broke off.
find "$own" -mindepth 1 -maxdepth 1 -name 'packed-*' -mmin +60 -exec rm -rf -- {} +

extract_chain "$archive.tree" "$@"
rm -f -- "$archive" "$archive".[0-9]*

# pack: prints the tree. A name of find begins with "./", and so is no option.
pack() {
  cd -- "$archive.tree"
  find . '(' -type f -o -type d -o -type l ')' -print0 >"$packed.found" && sort -z -o "$packed.found" -- "$packed.found" &&
    tar --create --file=- --format=posix --pax-option=delete=atime,delete=ctime --numeric-owner --no-recursion --null \
      --xattrs --xattrs-include='user.*' --verbatim-files-from --files-from="$packed.found" --transform='flags=rh;s,^\./,,' || : >"$packed.failed"
}
status=0
pack 2>"$packed.errors" | limited "$own" zstd -q -3 -c >"$packed" 2>"$packed.zstd" || status=$?
if [ "$status" -ne 0 ] || [ -e "$packed.failed" ]; then
  rm -f -- "$packed"
  if out_of_room "$packed.zstd" || out_of_room "$packed.errors"; then
    echo "the archive does not fit on the container's disk: $(how_full "$own")" >&2
    exit 26
  fi
  tail -n 20 -- "$packed.errors" "$packed.zstd" >&2
  exit 1
fi
sum=$(sha256sum <"$packed")
done=yes
echo "full $(stat -c %s -- "$packed") ${sum%% *}"
