# shellcheck shell=sh
# Precedes the scripts of the machine: what lies on the container's disk outside the workspace (docs/decisions/machines.md).
# OWN is the sandbox's own directory. ROOT is empty, or in tests a directory in place of /. DIRS are the workspace's
# directories, one a line.

# left_out OWN ROOT DIRS: prints the paths that belong to no machine, one a line: what a container gets when it is
# created and started, what its end removes, mounts, the sandbox's own directory, and the workspace.
left_out() {
  printf '%s\n' /proc /sys /dev /run /tmp /var/tmp /etc/cloudflare /etc/hosts /etc/hostname /etc/resolv.conf /etc/mtab /.dockerenv "$1" "$3"
  [ -n "$2" ] || awk '$5 != "/" { gsub(/\\040/, " ", $5); print $5 }' /proc/self/mountinfo
}

# as_patterns: turns paths, one a line, into patterns for find.
as_patterns() { sed 's:[][*?\\]:\\&:g'; }

# list_machine LIST OWN ROOT DIRS: lists the machine in LIST, as manifest.sh lists a tree. LIST.stable leaves out what
# changes in the directories above the workspace whenever the workspace is replaced.
list_machine() {
  into=$1 root=$3
  left=$(left_out "$2" "$3" "$4" | as_patterns)
  above=$(printf '%s\n' "$4" | sed 's:/[^/]*$::' | as_patterns)
  set --
  while IFS= read -r pattern; do
    [ $# -eq 0 ] || set -- "$@" -o
    set -- "$@" -path "$root$pattern"
  done <<PATTERNS
$left
PATTERNS
  # shellcheck disable=SC2154 # manifest.sh sets record
  set -- '(' "$@" ')' -prune -o -fprintf "$into" "$record" '(' -false
  while IFS= read -r pattern; do
    [ -n "$root$pattern" ] || pattern=/
    set -- "$@" -o -path "$root$pattern"
  done <<PATTERNS
$above
PATTERNS
  listed=0
  LC_ALL=C find "${root:-/}" -ignore_readdir_race -xdev "$@" ')' \
    -fprintf "$into.stable" '%d 0 %y %m %U %G 0 0 0 0 %l//%P\0' -o -fprintf "$into.stable" "$record" 2>"$into.errors" || listed=$?
  # That option covers only files: a directory that vanishes before find enters it is still an error.
  [ "$listed" -ne 1 ] || [ ! -s "$into.errors" ] || grep -q -v ': No such file or directory$' "$into.errors" || listed=0
  [ "$listed" -eq 0 ] || cat -- "$into.errors" >&2
  rm -f -- "$into.errors"
  return "$listed"
}

# hide_left_out LIST OWN ROOT DIRS: prints LIST without what belongs to no machine by now. A directory that something was
# mounted over since LIST was made is neither changed nor gone.
hide_left_out() {
  left_out "$2" "$3" "$4" | sed 's:[][\.*^$#+?(){}|]:\\&:g; s:^/*:\\#//:; s:$:(/.*)?$#d:' >"$1.hidden"
  sed -z -E -f "$1.hidden" -- "$1"
  rm -f -- "$1.hidden"
}

# find_replaced IMAGE OWN ROOT DIRS: prints a path that was a directory in IMAGE and is none any more, although
# something below it belongs to no machine. In the next container, nothing could take the place of that directory.
find_replaced() {
  left_out "$2" "$3" "$4" | awk -F / '{ at = ""; for (name = 2; name < NF; name++) print at = at "/" $name }' | sort -u |
    while IFS= read -r path; do
      if [ -d "$3$path" ] && [ ! -L "$3$path" ]; then continue; fi
      if tr '\0' '\n' <"$1" | path=$path awk '$3 == "d" && substr($0, length($0) - length(ENVIRON["path"])) == "/" ENVIRON["path"] { found = 1 }
        END { exit !found }'; then
        echo "$path"
        break
      fi
    done
}

# container_began: prints when the first process began, in seconds since 1970.
container_began() {
  read -r up _ </proc/uptime
  awk -v up="$up" -v now="$(date +%s)" '{ sub(/.*\) /, ""); split($0, field, " "); printf "%d\n", now - up + field[20] / 100 }' /proc/1/stat
}

# image_of LIST: prints the SHA-256 of what identifies the image: its files' names, types, modes, owners, sizes, times
# and link targets. Files newer than the container were made for it, and may differ from one container to the next. The
# first process begins a moment after the container was created.
image_of() {
  # No pipe: if one of its commands was ended, the image would get another name.
  tr '\0' '\n' <"$1" >"$1.lines" && began=$(($(container_began) - 5)) awk '$3 != "d" && $10 + 0 < ENVIRON["began"] {
    names = $0
    for (field = 1; field <= 10; field++) sub(/^[^ ]* /, "", names)
    print $3, $4, $5, $6, $7, int($10), names
  }' "$1.lines" >"$1.named" && LC_ALL=C sort -o "$1.named" -- "$1.named" && sha256sum <"$1.named" >"$1.sum" &&
    read -r image _ <"$1.sum" && echo "$image" && rm -f -- "$1.lines" "$1.named" "$1.sum"
}

# note_image OWN ROOT DIRS: notes what the image has. Notes nothing if it fails or is interrupted.
note_image() {
  # An earlier try may still be running.
  noted=$1/machine.new.$$
  rm -rf -- "$1"/machine.new.*
  mkdir -m 700 -- "$noted" || return 1
  list_machine "$noted/image.tree" "$1" "$2" "$3" && image_of "$noted/image.tree" >"$noted/image" && [ -s "$noted/image" ] || return 1
  rm -f -- "$noted/image.tree.stable" || return 1
  mv -T -- "$noted" "$1/machine"
}

# lists_images: whether the container has the tools to list images.
lists_images() {
  find / -maxdepth 0 -ignore_readdir_race -printf '' 2>/dev/null || return 1
  for tool in awk sed sort tr sha256sum; do
    command -v "$tool" >/dev/null || return 1
  done
}
