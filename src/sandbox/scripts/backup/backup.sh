# shellcheck shell=sh
# backup.sh ARCHIVE DIR COMPRESSION PROCESSORS GITIGNORE [EXCLUDE…]: archives DIR and prints "SIZE SHA256".
#
# PROCESSORS may be empty. GITIGNORE is yes or no. Exit status: 10 no DIR; 12 not a directory, or behind a
# symbolic link; 20 the files changed meanwhile, try again; 21 a tool is missing; 23 another one is at work; 26 the disk
# has no room for the archive; else the archive failed.
set -eu
# Names are bytes.
export LC_ALL=C
archive=$1 dir=$2 compression=$3 processors=$4 gitignore=$5
shift 5

[ -e "$dir" ] || [ -L "$dir" ] || { echo "no such directory" >&2; exit 10; }
if [ ! -d "$dir" ] || [ "$(realpath -- "$dir")" != "$dir" ]; then
  echo "is not a directory, or lies behind a symbolic link: it resolves to $(realpath -m -- "$dir")" >&2
  exit 12
fi
command -v mksquashfs >/dev/null || { echo "mksquashfs is not installed" >&2; exit 21; }

# One backup or restore at a time, also where one outlived the object that began it. What such a one left is removed.
own=${archive%/*}
exec 9>"$own/lock"
flock --wait 60 9 || { echo "another backup or restore is at work" >&2; exit 23; }
rm -rf -- "$own"/backup-* "$own"/restore-*
drop_old_uploads "$own"

# no_room: the archive does not fit. What there is of it goes at once.
no_room() {
  rm -f -- "$archive" "$archive.sizes"
  files_kib=$(du -sk -- "$dir" | cut -f 1)
  echo "the archive does not fit on the container's disk: $(how_full "$own"); the directory holds $(mib "$files_kib")" >&2
  exit 26
}
measure "$own"
# shellcheck disable=SC2154 # measure, of space.sh, sets it.
[ "$spare_kib" -gt 0 ] || no_room

cleanup() { rm -rf -- "$archive.sizes" "$archive.errors" "$archive.excludes" "$archive.git"; }
trap cleanup EXIT
trap 'exit 143' HUP INT TERM

# Exclude patterns go by argument, NUL-separated until then: a file of them could not hold every name.
: >"$archive.excludes"
[ $# -eq 0 ] || printf '%s\0' "$@" >>"$archive.excludes"
if [ "$gitignore" = yes ]; then
  command -v git >/dev/null || { echo "git is not installed" >&2; exit 21; }
  # Whoever owns the repository, and without running what its configuration names.
  set -- -c safe.directory='*' -c core.fsmonitor=false -C "$dir"
  if [ "$(git "$@" rev-parse --is-inside-work-tree 2>/dev/null)" != true ]; then
    # .gitignore files count outside a repository too: an empty one stands in.
    git init --quiet --bare "$archive.git"
    set -- "$@" --git-dir="$archive.git" --work-tree="$dir"
  fi
  git "$@" ls-files -z --others --ignored --exclude-standard --directory >"$archive.sizes"
  # They are names, not patterns: what a pattern would read as special is quoted.
  sed -z 's:/$::; s:[][*?\\()|!+@^]:\\&:g' "$archive.sizes" >>"$archive.excludes"
fi

# The limit below, or a program that wrote more meanwhile than is kept for it.
out_of_room() { grep -q -e 'File too large' -e 'No space left on device' -- "$archive.errors"; }

# mksquashfs notices when a file's size changed after it listed it, reads it again and goes on. Growing is harmless:
# the file is as it was a moment later. Shrinking is not: it may be half rewritten. So the sizes are needed.
# Under a limit, because of a great many files it is large itself.
# limited COMMAND…: runs it so that no file it writes takes more of the disk than there is to spare.
limited() (
  measure "$own"
  trap '' XFSZ
  ulimit -f "$((spare_kib * 2))"
  "$@"
)
limited find "$dir" -type f -printf '%s %p\n' >"$archive.sizes" 2>"$archive.errors" || {
  cat -- "$archive.errors" >&2
  ! out_of_room || no_room
  exit 20
}

# -exit-on-error: without it a file that vanished becomes an empty one, and the exit status is 0.
set -- "$dir" "$archive" -noappend -no-progress -quiet -exit-on-error -mkfs-time 0 -comp "$compression" \
  -xattrs-include '^(user\.|security\.capability$)'
[ -z "$processors" ] || set -- "$@" -processors "$processors"
status=0
if [ -s "$archive.excludes" ]; then
  limited xargs -0 -x -n 1000000 -s 1900000 -a "$archive.excludes" mksquashfs "$@" -wildcards -e 2>"$archive.errors" || status=$?
else
  limited mksquashfs "$@" 2>"$archive.errors" || status=$?
fi
if [ "$status" -ne 0 ]; then
  ! out_of_room || no_room
  tail -n 20 -- "$archive.errors" >&2
  exit 20
fi

# size_before FILE: its size when the attempt began; nothing if it was not there.
size_before() {
  grep -F -- " $1" "$archive.sizes" | while IFS= read -r line; do
    if [ "${line#* }" = "$1" ]; then
      echo "${line%% *}"
      break
    fi
  done
}

while IFS= read -r line; do
  case $line in
    'File '*' changed size while reading filesystem, attempting to re-read') ;;
    *) continue ;;
  esac
  file=${line#File }
  file=${file% changed size while reading filesystem, attempting to re-read}
  before=$(size_before "$file")
  name=$(printf '%s' "${file#"$dir"/}" | sed 's:[][*?\\()|!+@^]:\\&:g')
  archived=$(unsquashfs -cat "$archive" "$name" | wc -c)
  if [ -z "$before" ] || [ "$archived" -lt "$before" ]; then
    echo "$file shrank from ${before:-unknown} to $archived bytes" >&2
    exit 20
  fi
done <"$archive.errors"

sum=$(sha256sum <"$archive")
printf '%s %s\n' "$(stat -c %s -- "$archive")" "${sum%% *}"
