# shellcheck shell=sh
# backup.sh ARCHIVE DIR MANIFEST KNOWN BASE ROOM: archives DIR and prints "full SIZE SHA256". If MANIFEST proves that the
# archives of the chain KNOWN hold DIR as it is, prints "unchanged" instead. If it proves what has changed since the chain
# BASE, and the changes take at most ROOM bytes, archives only the changes and prints "layer SIZE SHA256". If times of
# paths were clamped (layer.sh), their count follows. On stderr, "note: WORD" tells why this archive is no layer, or why
# the next one can't be.
#
# After that line comes another one with what state.sh prints, if DIR has a repository, and then an empty line. Then a
# line on standard input says what to do with ARCHIVE. After "send" this removes its name and prints its bytes. After
# "drop" this removes it. Without a line, it stays.
#
# KNOWN, BASE and ROOM may be empty. A chain is what is_of takes. Exit status: 10 DIR does not exist; 12 DIR is not a
# directory, or lies behind a symbolic link; 20 the files changed meanwhile, try again; 21 a tool is missing; 23 another
# backup or restore is at work; 26 the disk has no room for the archive; 40 it took too long; 42 a path is too long; any
# other: the archive failed.
set -eu
# Names are bytes.
export LC_ALL=C
archive=$1 dir=$2 manifest=$3 known=$4 base=$5 room=$6

[ -e "$dir" ] || [ -L "$dir" ] || { echo "no such directory" >&2; exit 10; }
if [ ! -d "$dir" ] || [ "$(realpath -- "$dir")" != "$dir" ]; then
  echo "is not a directory, or lies behind a symbolic link: it resolves to $(realpath -m -- "$dir")" >&2
  exit 12
fi
command -v mksquashfs >/dev/null || { echo "mksquashfs is not installed" >&2; exit 21; }

# Only one backup or restore runs at a time, even if an earlier one outlived its object. Its leftovers are removed.
own=${archive%/*}
exec 9>"$own/lock"
flock --wait 60 9 || { echo "another backup or restore is at work" >&2; exit 23; }
rm -rf -- "$own"/backup-* "$own"/restore-*
drop_old_uploads "$own"

# no_room: fails because the archive does not fit. Removes the unfinished archive first.
no_room() {
  rm -f -- "$archive" "$archive.sizes"
  files_kib=$(du -sk -- "$dir" | cut -f 1)
  echo "the archive does not fit on the container's disk: $(how_full "$own"); the directory holds $(mib "$files_kib")" >&2
  exit 26
}
measure "$own"
# shellcheck disable=SC2154 # measure, of space.sh, sets it.
[ "$spare_kib" -gt 0 ] || no_room

cleanup() {
  rm -rf -- "$archive".*
}
trap cleanup EXIT
trap "trap '' HUP INT TERM; exit 143" HUP INT TERM

# mksquashfs notices that a file's size changed after it was listed, reads the file again and goes on (squash.sh). A file
# that grew is harmless: the archive has its content of a moment later. A file that shrank may be half rewritten. So
# record the sizes first. The record is limited too, because it is large for very many files.
listed_at=$(clock) || listed_at=
# shellcheck disable=SC2154 # manifest.sh sets record
limited "$own" find "$dir" -fprintf "$archive.list" "$record" -type f -printf '%s %p\n' >"$archive.sizes" 2>"$archive.errors" || {
  cat -- "$archive.errors" >&2
  ! out_of_room "$archive.errors" || no_room
  exit 20
}
# A restore extracts the tree beside DIR, below a name of at most 48 bytes. The kernel takes 4,095 bytes in all.
above=${dir%/*}
long=$(tr '\0' '\n' <"$archive.list" | awk -v most="$((4095 - ${#above} - 48))" '
  length($0) > most && sub(/^.*\/\//, "") && length($0) > most { print; exit }')
[ -z "$long" ] || { echo "a path is too long to be restored: $long" >&2; exit 42; }
# The kernel's clock for ctimes ticks every 10 ms at least. What changes after this has another ctime than in the list.
sleep 0.02 >/dev/null 2>&1 9>&- &
ticking=$!
if [ -n "$known" ] && is_of "$manifest" "$known" && cmp -s -- "$manifest.tree" "$archive.list"; then
  echo unchanged
  exit 0
fi
begin_git_state "$dir" "$own/checkpoints" "$archive.state"
note() { echo "note: $1" >&2; }
kind=full
if [ -n "$base" ]; then
  if ! is_of "$manifest" "$base"; then
    note manifest
  elif ! find_changes "$manifest.tree" "$archive.list" "$room" "$archive"; then
    note changes
  else
    kind=layer
  fi
fi

# shellcheck disable=SC2046 # options without blanks
set -- "$archive" $(squash_options "$archive.sizes")

tells=yes holds_all=no
notes_changes "$dir" || tells=no
wait "$ticking"
if [ "$tells" = no ]; then
  note filesystem
elif is_written "$dir" "$archive.list" yes; then
  note writers
else
  holds_all=yes
fi

# archive_tree OPTION…: archives DIR.
archive_tree() {
  # The caller has switched errexit off.
  times=$(clamp_times "$archive.list" "$archive") || return 1
  # shellcheck disable=SC2086 # options without blanks
  set -- "$@" $times -pf "$archive.times"
  if [ -s "$archive.grown" ]; then
    # Patterns become arguments, because mksquashfs' file of patterns cannot hold every name. NULs separate them.
    sed 's:[][*?\\()|!+@^]:\\&:g' "$archive.grown" | tr '\n' '\0' >"$archive.left-out"
    set -- "$@" -pf "$archive.lengths"
    # shellcheck disable=SC2016 # the inner shell expands it
    squash "$archive" "$archive.sizes" xargs -0 -x -n 1000000 -s 1900000 -a "$archive.left-out" \
      sh -c 'echo "$$" >"$0"; exec mksquashfs "$@"' "$archive.pid" "$dir" "$@" -wildcards -e
  else
    squash "$archive" "$archive.sizes" mksquashfs "$dir" "$@"
  fi
}

# finish STATUS: fails if mksquashfs did.
finish() {
  [ "$1" -ne 0 ] || return 0
  ! out_of_room "$archive.errors" || no_room
  tail -n 20 -- "$archive.errors" >&2
  [ "$1" -ne 124 ] || exit 40
  exit 20
}
status=0
if [ "$kind" = layer ]; then
  squash_all "$dir" "$archive.list" "$archive" archive_changes "$dir" "$@" || status=$?
  finish "$status"
  [ "$(stat -c %s -- "$archive")" -le "$room" ] || { note size && kind=full; }
fi
if [ "$kind" = full ]; then
  rm -f -- "$archive.changed-lines"
  squash_all "$dir" "$archive.list" "$archive" archive_tree "$@" || status=$?
  finish "$status"
fi
# mksquashfs has listed DIR again for a full archive. What appeared since the first list is in the archive, and not in the
# list, so no later layer would remove it. Its directory has a new ctime, unless it changed in the same tick before.
if [ "$kind$holds_all" = fullyes ]; then
  sed -z -n '/^[0-9]* [^ ]* d /p' "$archive.list" >"$archive.directories"
  find "$dir" -type d -printf "$record" 2>/dev/null | cmp -s -- "$archive.directories" - || { note writers && holds_all=no; }
fi

# size_before FILE: prints the file's size when the attempt began; nothing if it did not exist.
size_before() {
  grep -F -- " $1" "$archive.sizes" | while IFS= read -r line; do
    if [ "${line#* }" = "$1" ]; then
      echo "${line%% *}"
      break
    fi
  done
}

# In messages about a layer, paths are relative to DIR.
sed -n 's/^File \(.*\) changed size while reading filesystem, attempting to re-read$/\1/p' "$archive.errors" >"$archive.reread"
awk '!seen[$0]++' "$archive.reread" "$archive.grown" >"$archive.grew"
while IFS= read -r file; do
  case $file in /*) ;; *) file=$dir/$file ;; esac
  before=$(size_before "$file")
  name=$(printf '%s' "${file#"$dir"/}" | sed 's:[][*?\\()|!+@^]:\\&:g')
  archived=$(unsquashfs -cat "$archive" "$name" | wc -c)
  if [ -z "$before" ] || [ "$archived" -lt "$before" ]; then
    echo "$file shrank from ${before:-unknown} to $archived bytes" >&2
    exit 20
  fi
done <"$archive.grew"

sum=$(sha256sum <"$archive")
sum=${sum%% *}
chain=$sum
[ "$kind" = full ] || chain=$base+$sum
rm -f -- "$manifest" "$manifest.tree"
if [ "$holds_all" = yes ]; then keep_manifest "$manifest" "$chain" "$listed_at" "$archive.list"; fi
end_git_state
clamped=$(cat -- "$archive.clamped" 2>/dev/null) || clamped=0
[ "$clamped" -gt 0 ] || clamped=
echo "$kind $(stat -c %s -- "$archive") $sum${clamped:+ $clamped}"
if [ -s "$archive.state" ]; then cat -- "$archive.state" && echo; fi
# From here on this only reads the archive, so other backups and restores may work.
exec 9>&-
cleanup
trap - EXIT
printf '\n'
order=
read -r order || true
case $order in
  send)
    # cat replaces the shell, so that ending this process ends the output. Nothing has to be removed afterwards.
    exec 3<"$archive"
    rm -f -- "$archive"
    exec cat <&3
    ;;
  drop) rm -f -- "$archive" ;;
esac
