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

# squash ARCHIVE SIZES COMMAND…: runs a command of mksquashfs as limited does, and keeps what it prints on stderr in
# ARCHIVE.errors.
#
# mksquashfs reads a file again as long as the file grows. We end mksquashfs when it reads one file too often (status
# 9), or runs longer than files of these sizes ever take (status 124): a FIFO in the place of a file, or a file system
# that does not answer, would hold it for ever.
squash() (
  work=$1
  seconds=$(awk '{ bytes += $1 } END { seconds = 120 + bytes / 1e6 + NR / 200; printf "%d", (seconds > 3000 ? 3000 : seconds) }' "$2")
  shift 2
  measure "${work%/*}"
  trap '' XFSZ
  ulimit -f "$((spare_kib * 2))"
  rm -f -- "$work.said" "$work.errors"
  mkfifo -m 600 -- "$work.said"
  # A background command does not inherit standard input.
  exec 3<&0
  "$@" <&3 3<&- 9>&- >/dev/null 2>"$work.said" &
  squashing=$!
  # With xargs, the command that xargs runs writes its own id.
  [ -s "$work.pid" ] || echo "$squashing" >"$work.pid"
  exec 3<&-
  watched=0
  # No awk here: it may wait for more than one line.
  # shellcheck disable=SC2016,SC2094 # the inner shell expands it, and reads what it has written
  timeout --foreground "$seconds" sh -c '
    while IFS= read -r line; do
      printf "%s\n" "$line" >&4
      case $line in
        *" changed size while reading filesystem, attempting to re-read")
          [ "$(grep -c -F -x -e "$line" -- "$1")" -lt 4 ] || exit 9
          ;;
      esac
    done' sh "$work.errors" 4>"$work.errors" <"$work.said" || watched=$?
  if [ "$watched" -ne 0 ]; then
    kill -s KILL -- "$(cat -- "$work.pid")" 2>/dev/null || true
    [ "$watched" -ne 124 ] || echo "archiving took longer than $seconds s" >>"$work.errors"
  fi
  status=0
  wait "$squashing" || status=$?
  rm -f -- "$work.said" "$work.pid"
  if [ "$watched" -ne 0 ]; then
    rm -f -- "$work"
    exit "$watched"
  fi
  exit "$status"
)

# squash_all DIR LIST WORK COMMAND…: runs a command of squash. If files grow too fast, notes them by note_grown, and
# runs the command again. It then archives them up to the length that they have when their turn comes. LIST lists DIR.
squash_all() {
  : >"$3.grown" && : >"$3.lengths" || return 1
  tree=$1 listed=$2 work=$3 rounds=0
  shift 3
  while :; do
    squashed=0
    "$@" || squashed=$?
    [ "$squashed" -eq 9 ] && [ "$rounds" -lt 3 ] || return "$squashed"
    rounds=$((rounds + 1))
    note_grown "$tree" "$listed" "$work" || return 9
  done
}

# note_grown DIR LIST WORK: notes the growing files of LIST, with all their names, in WORK.grown, one a line, and in
# WORK.lengths, as definitions for mksquashfs. If WORK.changed-lines exists, only paths in it count. Fails if no file is
# new.
note_grown() {
  # Definitions can't hold names with line ends.
  sed -z '/\n/d' "$2" | tr '\0' '\n' >"$3.paths"
  if [ ! -e "$3.changed-lines" ]; then sed 's:.*//::' "$3.paths" >"$3.archived"; else cat -- "$3.changed-lines" >"$3.archived"; fi
  {
    cat -- "$3.grown"
    sed -n 's/^File \(.*\) changed size while reading filesystem, attempting to re-read$/\1/p' "$3.errors"
    # Other files that may be next.
    find "$1" -xdev -type f -size +1024k -newer "$2" -print 2>/dev/null || true
  } >"$3.growing"
  dir=${1%/} awk -v growing="$3.growing" -v archived="$3.archived" -v grown="$3.new" -v lengths="$3.lengths" '
    function quoted(name) { gsub(/[^A-Za-z0-9\/._-]/, "\\\\&", name); return name }
    BEGIN {
      printf "" >grown
      printf "" >lengths
      while ((getline line <archived) > 0) known[line] = 1
      while ((getline line <growing) > 0) {
        if (index(line, ENVIRON["dir"] "/") == 1) line = substr(line, length(ENVIRON["dir"]) + 2)
        if (line in known) names[line] = 1
      }
    }
    { match($0, /.*\/\//); path = substr($0, RLENGTH + 1) }
    NR == FNR { if ($3 == "f" && path in names) inodes[$8] = 1; next }
    $3 == "f" && $8 in inodes && path in known {
      print path >grown
      if ($8 in first) { print quoted(path), "L", quoted(first[$8]) >lengths; next }
      first[$8] = path
      file = ENVIRON["dir"] "/" path
      gsub(/\047/, "\047\\\047\047", file)
      time = int($10)
      if (time < 0) time = 0
      if (time > 4294967295) time = 4294967295
      printf "%s F %.0f %s %s %s exec head -c \"$(stat -c %%s -- \047%s\047)\" -- \047%s\047\n", quoted(path), time, $4, $5, $6, file, file >lengths
    }' "$3.paths" "$3.paths" || return 1
  ! cmp -s -- "$3.new" "$3.grown" || return 1
  mv -- "$3.new" "$3.grown"
  note_attributes "${1%/}" "$3" || return 1
}

# note_attributes DIR WORK: adds the extended attributes of the files in WORK.grown to WORK.lengths. unsquashfs prints
# them from an archive of empty files with the same attributes.
note_attributes() {
  rm -rf -- "$2.attributes" "$2.attributes-archive"
  mkdir -m 700 -- "$2.attributes" || return 1
  number=0
  while IFS= read -r name; do
    number=$((number + 1))
    cp --attributes-only --preserve=xattr -- "$1/$name" "$2.attributes/$number" 2>/dev/null || : >"$2.attributes/$number"
  done <"$2.grown"
  command mksquashfs "$2.attributes" "$2.attributes-archive" -quiet -no-progress -mem 64M -xattrs-include '^(user\.|security\.capability$)' >/dev/null 2>&1 9>&- &&
    unsquashfs -quiet -no-progress -pf "$2.attributes-listed" "$2.attributes-archive" >/dev/null 2>&1 9>&- || return 1
  # "NUMBER x NAME=VALUE". The definition of a file is in the line of its number.
  sed -n '/^[0-9]* x /p; /^#/q' "$2.attributes-listed" | while IFS= read -r line; do
    number=${line%% *} attribute=${line#* }
    definition=$(sed -n "${number}p" "$2.lengths")
    case ${definition#"${definition%%" F "*}"} in " F "*) printf '%s %s\n' "${definition%%" F "*}" "$attribute" ;; esac
  done >"$2.attributes-noted"
  cat -- "$2.attributes-noted" >>"$2.lengths"
}

# squash_options SIZES: prints the options with which mksquashfs archives the files of these sizes.
squash_options() {
  # Without -exit-on-error, a file that vanishes becomes an empty one, and the exit status is 0. Without -mem, it takes a
  # quarter of the machine's memory, whatever the container may use. lz4 is the fastest.
  printf '%s\n' '-noappend -no-progress -quiet -exit-on-error -mkfs-time 0 -mem 128M -comp lz4' \
    '-xattrs-include ^(user\.|security\.capability$)'
  # mksquashfs compares each file with all others of its size: 20 s for 40,000. From 10,000 files of one size on, it
  # archives them without comparing.
  if awk '$1 > 0 { pairs += 2 * files[$1]++ + 1 } END { exit !(pairs > 1e8) }' "$1"; then
    echo -no-duplicates
  fi
}
