# shellcheck shell=sh
# Precedes the scripts that extract an archive.

# extract ARCHIVE SHA256 TREE: extracts ARCHIVE as TREE, or fails: with 20 if its checksum is not SHA256. SHA256 may be
# empty.
extract() {
  # Both commands read the archive at the same time. The files count only if both succeed.
  sha256sum <"$1" >"$1.sum" &
  summing=$!
  extracted=yes
  unsquashfs -quiet -no-progress -strict-errors -dest "$3" "$1" >&2 || extracted=no
  wait "$summing"
  read -r found _ <"$1.sum"
  rm -f -- "$1.sum"
  if [ -n "$2" ] && [ "$found" != "$2" ]; then
    echo "the archive's SHA-256 is $found" >&2
    exit 20
  fi
  [ "$extracted" = yes ]
}
