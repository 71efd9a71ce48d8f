# shellcheck shell=sh disable=SC2154 # paths.sh sets path; space.sh sets size and spare_kib
# stage.sh OWN WITHIN DIR LAYER SHA256 MAX_BYTES MAX_ENTRIES CHECK: extracts the archive on standard input as DIR/tree,
# and prints how many of its entries had set-id bits, and how many had attributes that are not kept.
#
# The archive is tar, plain or compressed with gzip or zstd. LAYER is yes or no: whether the archive is a layer of an
# OCI image. Its whiteouts are then dropped, because nothing lies below it. SHA256 is that of the archive as it arrives,
# and may be empty. CHECK is the text of import.awk. Owners, modes and attributes `user.*` are kept. Set-id bits and
# other attributes are not. On any failure DIR is removed, and nothing outside it ever changes. Exit status in addition
# to those of paths.sh: 18 refused; 20 another SHA-256; 26 the disk has no room.
own=$path dir=$1 layer=$2 sum=$3 max_bytes=$4 max_entries=$5 check=$6
staged=
finish() {
  stop_storing
  [ -n "$staged" ] || rm -rf -- "$dir"
}
trap finish EXIT
trap "trap '' HUP INT TERM; exit 143" HUP INT TERM

for tool in tar awk gzip; do
  command -v "$tool" >/dev/null || fail 21 "$tool is not installed"
done
tar --version 2>/dev/null | grep -q 'GNU tar' || fail 21 "GNU tar is not installed"

# The sandbox stages one archive at a time, so other files here belong to no running call.
rm -rf -- "$own"/staged-*
mkdir -m 700 -- "$dir"
store "$dir/archive" "$max_bytes"
[ "$size" -gt 0 ] || fail 18 "the archive is empty"
if [ -n "$sum" ]; then
  found=$(sha256sum <"$dir/archive")
  [ "${found%% *}" = "$sum" ] || fail 20 "the archive has the SHA-256 ${found%% *}, not $sum"
fi

case $(head -c 4 -- "$dir/archive" | od -A n -t x1 | tr -d ' \n') in
  1f8b*) with=gzip ;;
  28b52ffd | 5?2a4d18) with=zstd ;;
  *) with="cat" ;;
esac
[ "$with" != zstd ] || command -v zstd >/dev/null || fail 21 "zstd is not installed in the container's image"

# unpack: prints the tar archive, at most one byte more than MAX_BYTES. Makes a file named broken if the compression is
# damaged.
unpack() {
  case $with in
    cat) cat -- "$dir/archive" || : >"$dir/broken" ;;
    gzip) gzip -dc <"$dir/archive" 2>/dev/null || : >"$dir/broken" ;;
    zstd) zstd -dcq --memory=512MB <"$dir/archive" 2>/dev/null || : >"$dir/broken" ;;
  esac | head -c "$((max_bytes + 1))"
}

# small COMMAND…: runs a command with little memory. tar reads a whole extended header into it.
small() (
  # shellcheck disable=SC3045 # dash and bash have it; elsewhere there is no limit
  ulimit -v 1048576 2>/dev/null || true
  exec "$@"
)

# The listing is checked while it is made: the listing of a small compressed archive can be larger than the disk.
# shellcheck disable=SC2094 # errors is written only
found=$(
  {
    unpack | small tar --list --verbose --block-number --numeric-owner --full-time --utc --quoting-style=c --absolute-names \
      --file=- --xattrs --xattrs-include='*' --xattrs-exclude='user.*' --warning=no-unknown-keyword 2>"$dir/errors" || : >"$dir/unlisted"
  } | awk -v max_bytes="$max_bytes" -v max_entries="$max_entries" "$check"
)
why() { grep -v 'Exiting with failure' "$dir/errors" | tail -n 1 | sed 's/^tar: //'; }
case $found in
  'refuse it has no end marker' | [0-9]*)
    if [ -e "$dir/broken" ] && [ "$(unpack | wc -c)" -gt "$max_bytes" ]; then
      fail 13 "the archive is larger than $max_bytes bytes uncompressed"
    fi
    [ ! -e "$dir/broken" ] || fail 18 "the archive can't be uncompressed: its $with data is damaged or cut off"
    [ ! -e "$dir/unlisted" ] || fail 18 "the archive can't be read: $(why)"
    ;;
esac
case $found in
  refuse*) fail 18 "the archive is refused: ${found#refuse }" ;;
  large*) fail 13 "the archive ${found#large }" ;;
esac

room_for=$((${found##* } / 1024))
measure "$own"
[ "$room_for" -le "$spare_kib" ] || fail 26 "the archive's files, $(mib "$room_for"), do not fit on the disk: $(how_full "$own")"

mkdir -m 755 -- "$dir/tree"
rm -f -- "$dir/broken"
if ! unpack | small tar --extract --file=- --directory="$dir/tree" --numeric-owner --same-owner --same-permissions \
  --xattrs --xattrs-include='user.*' --delay-directory-restore --warning=no-unknown-keyword --warning=no-timestamp 2>"$dir/errors"; then
  case $(why) in
    *'No space left on device') fail 26 "the disk is full" ;;
    *) fail 18 "the archive can't be extracted: $(why)" ;;
  esac
fi
[ ! -e "$dir/broken" ] || fail 18 "the archive was not read to its end"
rm -f -- "$dir/archive"
odd=$(find "$dir/tree" ! -type f ! -type d ! -type l -print -quit)
[ -z "$odd" ] || fail 18 "the archive is refused: ${odd#"$dir/tree"/}: is not a file, directory or link"
bits=$(find "$dir/tree" ! -type l -perm /6000 -printf . | wc -c)
find "$dir/tree" ! -type l -perm /6000 -exec chmod u-s,g-s -- {} +
if [ "$layer" = yes ]; then
  find "$dir/tree" -name '.wh.*' ! -type d -delete
  odd=$(find "$dir/tree" -name '.wh.*' -print -quit)
  [ -z "$odd" ] || fail 18 "the archive is refused: ${odd#"$dir/tree"/}: is a whiteout, and a directory"
fi
staged=yes
# shellcheck disable=SC2086 # the numbers that import.awk prints
set -- $found
echo "$bits $3"
