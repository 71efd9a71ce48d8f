# shellcheck shell=sh
# Precedes the scripts that make archives.

# limited DIR COMMAND…: runs a command. No file that it writes may exceed the spare room on the disk of DIR.
limited() (
  measure "$1"
  shift
  trap '' XFSZ
  # shellcheck disable=SC2154 # measure, of space.sh, sets it.
  ulimit -f "$((spare_kib * 2))"
  "$@"
)

# out_of_room ERRORS: whether a tool hit that limit, or other programs filled the disk meanwhile.
out_of_room() { grep -q -e 'File too large' -e 'No space left on device' -- "$1"; }

# squash_options SIZES: prints the options with which mksquashfs archives the files of these sizes.
squash_options() {
  # Without -exit-on-error, a file that vanishes becomes an empty one, and the exit status is 0.
  printf '%s\n' '-noappend -no-progress -quiet -exit-on-error -mkfs-time 0' \
    '-xattrs-include ^(user\.|security\.capability$)'
  # mksquashfs compares each file with all others of its size: 20 s for 40,000. From 10,000 on it takes them as they are.
  if awk '$1 > 0 { pairs += 2 * files[$1]++ + 1 } END { exit !(pairs > 1e8) }' "$1"; then
    echo -no-duplicates
  fi
}
