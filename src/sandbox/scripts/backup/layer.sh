# shellcheck shell=sh
# Precedes the scripts that archive changes. A layer (docs/decisions/layers.md) holds each path that is new or changed
# since a list was made, and a character device 0:0 in place of each path that is gone while its directory still exists.

# find_changes OLD NEW ROOM WORK: compares two lists of a tree. Writes the changed paths to WORK.changed, separated by
# NULs, and the gone ones to WORK.gone, as definitions for mksquashfs. Fails if a layer can't hold the changes, or would
# hardly be smaller than ROOM bytes or an archive of the whole tree. If ROOM is empty, there is no such limit, and devices
# are left out. Returns 2 if a name has a line end in it.
find_changes() {
  sort -z -- "$1" >"$4.old" && sort -z -- "$2" >"$4.new" || return 1
  comm -z -13 -- "$4.old" "$4.new" >"$4.came" && comm -z -23 -- "$4.old" "$4.new" >"$4.went" || return 1
  # Some tools take one name a line.
  if cat -- "$4.came" "$4.went" | tr -d -c '\n' | grep -q ''; then return 2; fi
  tr '\0' '\n' <"$4.came" >"$4.came-lines" && tr '\0' '\n' <"$4.went" >"$4.went-lines" || return 1
  : >"$4.changed-lines" && : >"$4.gone-lines" && : >"$4.linked" || return 1
  awk -v room="$3" -v paths="$(tr -d -c '\0' <"$2" | wc -c)" \
    -v changed="$4.changed-lines" -v gone="$4.gone-lines" -v linked="$4.linked" '
    { match($0, /.*\/\//); path = substr($0, RLENGTH + 1) }
    NR == FNR {
      type[path] = $3
      if (room == "" && ($3 == "b" || $3 == "c")) next
      # A device would look like a path that is gone.
      if ($3 == "c") impossible = 1
      if ($3 == "f") bytes += $7
      if ($3 != "d" && $9 > 1) print $8 >linked
      count++
      print path >changed
      next
    }
    !(path in type) { went[path] = 1 }
    END {
      for (path in went) {
        above = path
        if (!sub(/\/[^\/]*$/, "", above)) above = ""
        # A directory changes when a path in it goes.
        if (!(above in type) && !(above in went)) impossible = 1
        if (type[above] == "d") print path >gone
      }
      exit impossible || room != "" && (2 * count > paths || bytes > 4 * room)
    }' "$4.came-lines" "$4.went-lines" || return 1
  if [ -s "$4.linked" ]; then
    # When a directory is renamed, hard links in it get new names, but nothing tells the other names of their files.
    if tr -d -c '\n' <"$4.new" | grep -q ''; then return 1; fi
    tr '\0' '\n' <"$4.new" >"$4.new-lines" || return 1
    awk 'NR == FNR { linked[$0] = 1; next }
      $8 in linked { match($0, /.*\/\//); print substr($0, RLENGTH + 1) }' "$4.linked" "$4.new-lines" >>"$4.changed-lines" || return 1
  fi
  sort -u -o "$4.changed-lines" -- "$4.changed-lines" || return 1
  tr '\n' '\0' <"$4.changed-lines" >"$4.changed" && sort -- "$4.gone-lines" >"$4.gone-sorted" || return 1
  # Names may hold anything, so quote each character that could mean something.
  sed 's:[^A-Za-z0-9/._-]:\\&:g; s:$: C 0 0 0 0 0 0:' "$4.gone-sorted" >"$4.gone"
}

# clamp_times LIST WORK [CHANGED]: an archive holds times from 1970 to 2106, and mksquashfs takes others modulo 2^32.
# Writes the paths of LIST with such times to WORK.times, as definitions for mksquashfs with the nearest time, and their
# count to WORK.clamped. Prints the option that gives the root its time. With CHANGED, which has one path a line, only
# these paths count, and the directories above them and above the paths in WORK.gone-sorted.
#
# No definition can hold a name with a line end. No path can have two definitions: those for WORK.gone-sorted and
# WORK.grown come first. No directory can have one if a path below it has one. The paths without a definition are only
# counted.
clamp_times() {
  clamping=$1 into=$2 changed=${3:-}
  : >"$into.times"
  set -- defined=1
  for defined in "$into.gone-sorted" "$into.grown"; do
    [ ! -e "$defined" ] || set -- "$@" "$defined"
  done
  sed -z '/\n/s:^\(\([^ ]* \)\{10\}\).*:\1//\x01:' -- "$clamping" | tr '\0' '\n' |
    awk -v times="$into.times" -v clamped="$into.clamped" -v part="$changed" '
    function note_above(path) { while (sub(/\/[^\/]*$/, "", path) && !(path in above)) above[path] = 1 }
    !listed { if (defined) taken[$0] = 1; else held[$0] = 1; note_above($0); next }
    $10 < 0 || $10 >= 4294967296 {
      match($0, /.*\/\//); path = substr($0, RLENGTH + 1)
      if (part != "" && path != "" && !(path in held) && !(path in above)) next
      count++
      time = $10 < 0 ? 0 : 4294967295
      if (path == "") print "-root-time", time
      else if (path != "\001" && !(path in taken)) late[path] = "M " time " " $4 " " $5 " " $6
    }
    END {
      split("", above)
      for (path in late) note_above(path)
      for (path in taken) note_above(path)
      for (path in late) if (!(path in above)) {
        name = path; gsub(/[^A-Za-z0-9\/._-]/, "\\\\&", name)
        print name, late[path] >times
      }
      print count + 0 >clamped
    }' "${changed:-/dev/null}" "$@" listed=1 -
}

# archive_changes DIR ARCHIVE OPTION…: archives what find_changes found in DIR, and the directories above it, by squash.
# ARCHIVE is the WORK of find_changes, ARCHIVE.list lists DIR, and ARCHIVE.sizes has the sizes of its files. Files that
# note_grown noted are archived up to the noted length.
archive_changes() (
  cd -- "$1" || exit
  shift
  # The caller has switched errexit off, and an archive without all definitions would lack removals.
  times=$(clamp_times "$1.list" "$1" "$1.changed-lines") || return 1
  # shellcheck disable=SC2086 # options without blanks
  set -- "$@" $times
  cat -- "$1.gone" "$1.lengths" "$1.times" >"$1.definitions" || return 1
  # A definition needs the directories above it.
  awk -v grown="$1.grown" '
    BEGIN { while ((getline line <grown) > 0) left_out[line] = 1 }
    !($0 in left_out)
    $0 in left_out && sub(/\/[^\/]*$/, "")' "$1.changed-lines" >"$1.named-lines" || return 1
  # No pipe: it would hide that one of the commands was ended and changes were left out.
  sort -u -o "$1.named-lines" -- "$1.named-lines" && tr '\n' '\0' <"$1.named-lines" >"$1.named" || return 1
  if grep -z -q . <"$1.named"; then
    squash "$1" "$1.sizes" mksquashfs - "$@" -cpiostyle0 -pf "$1.definitions" <"$1.named"
  else
    # Only DIR itself has changed. mksquashfs does not take it as a name.
    squash "$1" "$1.sizes" mksquashfs . "$@" -pf "$1.definitions" -wildcards -e '*' '.*'
  fi
)
