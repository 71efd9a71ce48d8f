# shellcheck shell=sh
# Precedes the scripts that extract archives.

# lock_out ARCHIVE: takes the lock of backups and restores, or fails with 23: only one runs at a time, even if an
# earlier one outlived its object. Removes leftovers of others, but nothing whose name begins with ARCHIVE.
lock_out() {
  exec 9>"${1%/*}/lock"
  flock --wait 60 9 || { echo "another backup or restore is at work" >&2; exit 23; }
  for left in "${1%/*}"/backup-* "${1%/*}"/restore-*; do
    case $left in
      "$1" | "$1".*) ;;
      *) rm -rf -- "$left" ;;
    esac
  done
}

# extract TREE ARCHIVE SHA256 [OPTION…]: extracts ARCHIVE as TREE, or fails: with 20 if its checksum is not SHA256. SHA256
# may be empty.
extract() {
  into=$1 from=$2 expected=$3
  shift 3
  # Both commands read the archive at the same time. The files count only if both succeed.
  sha256sum <"$from" >"$from.sum" &
  summing=$!
  extracted=yes
  unsquashfs -quiet -no-progress -strict-errors "$@" -dest "$into" "$from" >&2 || extracted=no
  wait "$summing"
  read -r found _ <"$from.sum"
  rm -f -- "$from.sum"
  if [ -n "$expected" ] && [ "$found" != "$expected" ]; then
    echo "the archive's SHA-256 is $found" >&2
    exit 20
  fi
  [ "$extracted" = yes ]
}

# extract_chain TREE ARCHIVE SHA256 [LAYER SHA256]…: extracts a full archive, and the layers on it, as TREE, or fails as
# extract does. Prints "archive" and the position, from 0 on, before each archive.
extract_chain() {
  tree=$1 position=0
  echo "archive 0"
  extract "$tree" "$2" "$3"
  shift 3
  while [ $# -gt 0 ]; do
    position=$((position + 1))
    echo "archive $position"
    add_layer "$tree" "$1" "$2"
    shift 2
  done
}

# extract_changes TREE ARCHIVE SHA256: extracts an archive of changes (layer.sh) as TREE, and lists the paths that are
# gone in ARCHIVE.gone. Fails as extract does, or if the archive holds anything that we never put into one: it comes
# from a container that may be hostile.
extract_changes() {
  # Each line is one path: a name or a target with a line end could add another line.
  listed=yes
  unsquashfs -lln "$2" >"$2.listed" || listed=no
  sed -n 's:^c[^ ]* [0-9]*/[0-9]* *0,  0 [0-9-]* [0-9][0-9]\:[0-9][0-9] squashfs-root/::p' "$2.listed" >"$2.gone"
  # Most file systems of containers can't hold a device 0:0. The slash takes special meanings from the beginning of a
  # name.
  sed 's:^:\\/:' "$2.gone" >"$2.excludes"
  extract "$1" "$2" "$3" -no-wildcards -exclude-file "$2.excludes"
  [ "$listed" = yes ]
  # Such an added line could also exclude a directory above the name, which would then be neither extracted nor found.
  if sed -n 's:^[cd][^ ]* [0-9]*/[0-9]* *[0-9, ]* [0-9-]* [0-9][0-9]\:[0-9][0-9] squashfs-root/::p' "$2.listed" |
    sort | uniq -d | grep -q '' ||
    find "$1" '(' -type c -o -name '*
*' -o -lname '*
*' ')' -print -quit | grep -q ''; then
    echo "the archive holds an entry that a layer can't have" >&2
    return 1
  fi
}

# add_layer TREE LAYER SHA256: makes TREE what it was when LAYER was made. Nothing is written, moved or removed through
# a symbolic link of either tree.
#
# TREE's files move into the layer's directories, unless the layer has something of the same name. So all directories of
# the layer keep its attributes, and no file is written twice.
add_layer() {
  tree=$1 layer=$2 with=$1.layer
  extract_changes "$with" "$layer" "$3"
  while IFS= read -r path; do
    case $path in */*) above=${path%/*} ;; *) above= ;; esac
    ! is_directory "$tree" "$above" || printf '%s\0' "$tree/$path"
  done <"$layer.gone" >"$layer.removed"
  xargs -0 -r -a "$layer.removed" rm -rf --
  find "$with" -type d -printf '%T@ %P\n' >"$layer.directories"
  # Sorted by time, because one touch sets the time of many directories. Their times change while files move in.
  sort -o "$layer.directories" -- "$layer.directories"
  time=
  set --
  while IFS= read -r line; do
    path=${line#* }
    is_directory "$tree" "$path" || continue
    find "$tree/$path" -mindepth 1 -maxdepth 1 -exec mv --update=none --no-copy -t "$with/$path" -- {} +
    if [ "${line%% *}" != "$time" ] || [ $# -ge 500 ]; then
      [ $# -eq 0 ] || touch -d "@$time" -- "$@"
      time=${line%% *}
      set --
    fi
    set -- "$@" "$with/$path"
  done <"$layer.directories"
  [ $# -eq 0 ] || touch -d "@$time" -- "$@"
  rm -rf -- "$tree"
  mv --no-copy -T -- "$with" "$tree"
}

# is_directory TREE PATH: whether PATH in TREE, and all that is above it, are directories and no symbolic links.
is_directory() {
  case /$2/ in */../*) return 1 ;; esac
  at=$1 rest=${2:+$2/}
  while [ -n "$rest" ]; do
    at=$at/${rest%%/*} rest=${rest#*/}
    [ -d "$at" ] && [ ! -L "$at" ] || return 1
  done
}
