# shellcheck shell=sh
# Precedes the scripts that keep a manifest or use it. A manifest proves without an archive that a tree has not changed
# (docs/decisions/manifests.md): FILE names the archives that hold the tree, and FILE.tree lists the tree. It also tells
# what a layer must hold (layer.sh).
#
# Each change of a file gives it a new ctime, which a program can't choose. If anything could change a file without a
# new ctime, the manifest is useless, and the tree is archived as if there were no manifest.

# The format of a record in the list. The ctime comes second, after the depth. The path comes after the last "//".
# shellcheck disable=SC2034 # backup.sh and restore.sh use it
record='%d %C@ %y %m %U %G %s %D:%i %n %T@ %l//%P\0'

# clock: prints the boot's id, the seconds since the boot, and the time.
clock() {
  read -r boot </proc/sys/kernel/random/boot_id
  read -r up _ </proc/uptime
  echo "$boot $up $(date +%s.%N)"
}

# is_clock_steady BOOT UP TIME: whether nobody has set the clock since clock printed these values. The clock may drift a
# little.
is_clock_steady() {
  # shellcheck disable=SC2046 # words, to be split
  set -- "$@" $(clock)
  [ $# -eq 6 ] && [ "$1" = "$4" ] && awk -v up="$2" -v time="$3" -v up_now="$5" -v time_now="$6" 'BEGIN {
    drift = (time_now - time) - (up_now - up)
    exit !(drift * drift < (0.5 + (up_now - up) / 1000) ^ 2)
  }'
}

# is_of MANIFEST CHAIN: whether MANIFEST lists the tree in the archives of CHAIN, and still proves something. CHAIN has
# the SHA-256 of each archive, from the full one on, joined by "+": the same change of two trees gives equal layers.
is_of() {
  [ -f "$1" ] && [ -f "$1.tree" ] && read -r sums at <"$1" && [ "$sums" = "$2" ] || return 1
  # shellcheck disable=SC2086 # words, to be split
  is_clock_steady $at
}

# keep_manifest MANIFEST CHAIN CLOCK LIST: notes that the archives of CHAIN hold the tree of LIST, which was made after
# CLOCK. The caller has removed the former manifest.
keep_manifest() {
  mv -T -- "$4" "$1.tree"
  echo "$2 $3" >"$1.new"
  mv -T -- "$1.new" "$1"
}

# tells_changes DIR: whether each change of a file on the file system of DIR changes its ctime. On a file system in memory,
# writes through a mapping do not.
tells_changes() {
  case $(stat -f -c %T -- "$1") in ext2/ext3 | xfs | btrfs | overlayfs) ;; *) return 1 ;; esac
}

# notes_changes DIR: whether each change of a file below DIR changes its ctime. Fails if another file system is mounted
# below DIR, because it may be of any kind.
notes_changes() {
  tells_changes "$1" || return 1
  case $1 in *[[:cntrl:]\\]*) return 1 ;; esac
  # shellcheck disable=SC1003 # a backslash
  dir=$(printf '%s' "$1" | sed 's/ /\\040/g') awk 'index($5, ENVIRON["dir"] "/") == 1 { found = 1 } END { exit found }' /proc/self/mountinfo
}

# processes: prints the directory in /proc of each process of this container. Processes of other containers may be
# visible, too; they have another cgroup, and another root. For a process whose first thread has ended, prints the
# directories of its threads, because its own directory tells nothing.
processes() {
  own_group=$(sed -n '$p' /proc/self/cgroup 2>/dev/null) || own_group=
  own_root=$(stat -L -c %d /)
  for entry in /proc/[0-9]*; do
    group='' state=''
    { while read -r line; do group=$line; done <"$entry/cgroup"; } 2>/dev/null || true
    case $group in
      */..*) own=no ;;
      "$own_group"*) own=yes ;;
      *) own=no ;;
    esac
    [ "$own" = yes ] || [ "$(stat -L -c %d "$entry/root" 2>/dev/null)" = "$own_root" ] || continue
    # The name may hold line ends.
    { while read -r line; do state=$line; done <"$entry/stat"; } 2>/dev/null || true
    case ${state##*) } in Z*) echo "$entry"/task/* ;; *) echo "$entry" ;; esac
  done
}

# began PROCESS: prints when it began, in ticks since the boot.
began() { sed 's/.*) //' "$1/stat" 2>/dev/null | cut -d ' ' -f 20; }

# is_starting PROCESS…: whether one of them began after this script, or at most two seconds before it. Nobody can
# inspect a command that a container engine has not quite started.
is_starting() {
  # A second has 100 ticks.
  own_began=$(began "/proc/$$") && recent=$((${own_began:-0} - 200))
  for process; do
    process_began=$(began "$process")
    if [ "${process_began:-0}" -gt "${recent:-0}" ]; then return 0; fi
  done
  return 1
}

# is_written DIR LIST WHOLE: whether a program may be changing a file of LIST right now, so that the file has the ctime
# of the change's beginning. Such a file is mapped for writing, or in the middle of a long write. A process that can't
# be inspected may be changing files. The paths of LIST are relative to DIR. WHOLE is yes if LIST has everything in DIR,
# else no. Waits two seconds for processes that are starting.
is_written() {
  looks=0
  while :; do
    maps='' descriptors='' hidden='' status=0
    for process in $(processes); do
      maps="$maps $process/maps" descriptors="$descriptors $process/fd"
    done
    # shellcheck disable=SC2086 # paths, to be split
    grep -a -H '^[^ ]* ...s ' $maps /dev/null >"$2.mapped" 2>"$2.errors" || status=$?
    [ "$status" -gt 1 ] || break
    # Processes that have ended meanwhile don't count.
    hidden=$(sed '/No such/d; s:^grep\: \(/proc/[0-9a-z/]*\)/maps\: .*:\1:' "$2.errors")
    [ -s "$2.errors" ] || hidden=unknown
    looks=$((looks + 1))
    # shellcheck disable=SC2086 # paths, to be split
    if [ "$looks" -gt 20 ] || ! is_starting $hidden; then break; fi
    sleep 0.1
  done
  [ -z "$hidden" ] || return 0
  # shellcheck disable=SC2086 # paths, to be split
  { shared "$1" "$3" <"$2.mapped"; being_written $descriptors; } >"$2.written"
  since=
  # shellcheck disable=SC2086 # paths, to be split
  if writes_without $descriptors; then since=$(($(date +%s) - 60)); fi
  [ -s "$2.written" ] || [ -n "$since" ] || return 1
  found=$(tr '\0' '\n' <"$2" | dir=$1 since=$since awk "$in_list" "$2.written" listed=1 -) || return 0
  while IFS= read -r said; do
    case $said in
      'is '*) return 0 ;;
      'may '*) said=${said#* } && ! may_become_writable "${said%% *}" "${said#* * }" || return 0 ;;
    esac
  done <<FOUND
$found
FOUND
  return 1
}

# shared DIR WHOLE: reads lines of /proc/PID/maps files, each after the name of its maps file and a colon. For each
# mapping whose writes reach a file, prints "is" if it is writable now, or "may" if it could become writable; then the
# process, and the file's inode and path. The inode is "any" if the file is in DIR and WHOLE is yes: a file that was
# removed may have other names, and the inode that some kernels print for overlayfs is not that of stat. The inode is
# "none" if the file can't be in a tree: its file system is of another type, or inside the kernel, where files have no
# names and are in no mount.
shared() {
  dir=$1 whole=$2 awk '
    !mapped {
      split($3, numbers, ":"); device = sprintf("%02x:%02x", numbers[1], numbers[2])
      mounted[device] = 1
      for (field = 7; $field != "-" && field < NF; field++);
      if ($(field + 1) ~ /^(ext[234]|xfs|btrfs|overlay)$/) trusted[device] = 1
      next
    }
    {
      process = $1; sub(/\/maps:.*/, "", process)
      match($0, /^[^ ]+ [^ ]+ [^ ]+ [^ ]+ [0-9]+ */); path = substr($0, RLENGTH + 1)
      if (path !~ /^\//) next
      inode = $5
      if ($4 in mounted ? !($4 in trusted) : $4 ~ /^00:/ && path ~ / \(deleted\)$/) inode = "none"
      if (ENVIRON["whole"] == "yes" && index(path, ENVIRON["dir"] "/") == 1) inode = "any"
      print $2 ~ /^.w/ ? "is" : "may", process, inode, path
    }' /proc/self/mountinfo mapped=1 -
}

# being_written DESCRIPTORS…: prints "is", the process, and the device and inode of each file that is open for writing
# and has changed in the last minute.
being_written() {
  find -L "$@" -mindepth 1 -maxdepth 1 -type f -cmin -1 -printf '%p %D:%i\n' 2>/dev/null |
    while read -r descriptor file; do
      case $(sed -n 's/^flags:[[:space:]]*//p' "${descriptor%/fd/*}/fdinfo/${descriptor##*/}" 2>/dev/null) in
        *[1256]) echo "is ${descriptor%/fd/*} $file" ;;
      esac
    done
}

# writes_without DESCRIPTORS…: whether a process has given files to an io_uring, which writes to them without a
# descriptor. Node.js has rings, too, but gives them no files.
writes_without() {
  find "$@" -mindepth 1 -maxdepth 1 -lname '*\[io_uring\]' -print 2>/dev/null | while read -r ring; do
    cat -- "${ring%/fd/*}/fdinfo/${ring##*/}" 2>/dev/null || true
  done | grep -q '^UserFiles:[[:space:]]*[1-9]'
}

# Reads what shared and being_written print, and then a list, whose records end with line ends. Prints the lines about
# files that are in the list. Fails if a file has changed since the time $since, unless that is empty.
# shellcheck disable=SC2016 # awk expands it
in_list='
  !listed {
    count++; said[count] = $0; file[count] = $3; path[count] = ""
    if (NF > 3) { path[count] = $0; sub(/^[^ ]+ [^ ]+ [^ ]+ /, "", path[count]); wanted[path[count]] = 1 }
    wanted[$3] = 1
    next
  }
  {
    if (ENVIRON["since"] != "" && $3 == "f" && $2 + 0 > ENVIRON["since"] + 0) { late = 1; exit }
    if ($8 in wanted) found[$8] = 1
    inode = $8; sub(/.*:/, "", inode)
    if (inode in wanted) found[inode] = 1
    match($0, /.*\/\//); name = ENVIRON["dir"] "/" substr($0, RLENGTH + 1)
    if (name in wanted) found[name] = 1
  }
  END {
    for (at = 1; at <= count; at++) if (file[at] == "any" || file[at] in found || path[at] in found) print said[at]
    exit late
  }'

# may_become_writable PROCESS PATH: whether a mapping of the file PATH can be made writable again. A page that
# was written before is then written to without a new ctime.
may_become_writable() {
  [ -e "$1/smaps" ] || { [ -e "$1/maps" ] && return; return 1; }
  file=$2 awk '
    /^[0-9a-f]+-[0-9a-f]+ / { match($0, /^[^ ]+ [^ ]+ [^ ]+ [^ ]+ [0-9]+ */); path = substr($0, RLENGTH + 1) }
    /^VmFlags:/ { known = 1; if (path == ENVIRON["file"] && / sh/ && / mw/) found = 1 }
    END { exit known && !found }' "$1/smaps" 2>/dev/null
}
