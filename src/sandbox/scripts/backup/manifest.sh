# shellcheck shell=sh
# Precedes the scripts that keep a manifest or use it. A manifest proves without an archive that a tree has not changed
# (docs/decisions/manifests.md): FILE names the archives that hold the tree, and FILE.tree lists the tree. It also tells
# what a layer must hold (layer.sh).
#
# Each change of a file gives it a new ctime, which a program can't choose. Whatever could change a file without that
# makes the manifest useless, and the tree is archived as if there were none.

# What the list says of a path. The ctime comes second, after the depth. The path comes after the last "//".
# shellcheck disable=SC2034 # backup.sh and restore.sh use it
record='%d %C@ %y %m %U %G %s %D:%i %n %T@ %l//%P\0'

# clock: prints the boot's id, the seconds since the boot, and the time.
clock() {
  read -r boot </proc/sys/kernel/random/boot_id
  read -r up _ </proc/uptime
  echo "$boot $up $(date +%s.%N)"
}

# is_clock_steady BOOT UP TIME: whether nobody has set the clock since clock printed these. It may drift a little.
is_clock_steady() {
  # shellcheck disable=SC2046 # words, to be split
  set -- "$@" $(clock)
  [ $# -eq 6 ] && [ "$1" = "$4" ] && awk -v up="$2" -v time="$3" -v up_now="$5" -v time_now="$6" 'BEGIN {
    drift = (time_now - time) - (up_now - up)
    exit !(drift * drift < (0.5 + (up_now - up) / 1000) ^ 2)
  }'
}

# is_of MANIFEST CHAIN: whether MANIFEST lists the tree in the archives of CHAIN, and what it lists still proves something.
# CHAIN has the SHA-256 of each archive, from the full one on, joined by "+": the same change of two trees gives equal
# layers.
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

# tells_changes DIR: whether each change of a file on the file system of DIR changes its ctime. One in memory does not note
# writes through a mapping.
tells_changes() {
  case $(stat -f -c %T -- "$1") in ext2/ext3 | xfs | btrfs | overlayfs) ;; *) return 1 ;; esac
}

# notes_changes DIR: whether each change of a file below DIR changes its ctime. What else is mounted there may be anything.
notes_changes() {
  tells_changes "$1" || return 1
  case $1 in *[[:cntrl:]\\]*) return 1 ;; esac
  # shellcheck disable=SC1003 # a backslash
  dir=$(printf '%s' "$1" | sed 's/ /\\040/g') awk 'index($5, ENVIRON["dir"] "/") == 1 { found = 1 } END { exit found }' /proc/self/mountinfo
}

# processes: prints the directory in /proc of each process of this container. Others may be visible, too.
processes() {
  own_group=$(sed -n '$p' /proc/self/cgroup 2>/dev/null) || own_group=
  for entry in /proc/[0-9]*; do
    group=
    { while read -r line; do group=$line; done <"$entry/cgroup"; } 2>/dev/null || true
    case $group in */..*) continue ;; esac
    # One without a group has ended just now, unless nothing has one.
    case $group in "$own_group"*) echo "$entry" ;; esac
  done
}

# began PROCESS: prints when it began, in ticks since the boot.
began() { sed 's/.*) //' "$1/stat" 2>/dev/null | cut -d ' ' -f 20; }

# is_starting PROCESS…: whether one of them began after this script, or at most two seconds before it. A container engine
# lets nobody look into a command before it runs.
is_starting() {
  # A second has 100 ticks.
  own_began=$(began "/proc/$$") && recent=$((${own_began:-0} - 200))
  for process; do
    process_began=$(began "$process")
    if [ "${process_began:-0}" -gt "${recent:-0}" ]; then return 0; fi
  done
  return 1
}

# is_written DIR LIST: whether a program may be changing a file of DIR right now, so that its ctime is that of the change's
# beginning: one that is mapped for writing, or in the middle of a long write. A process that can't be looked into may.
# Waits two seconds for those that are starting.
is_written() {
  looks=0
  while :; do
    maps='' descriptors='' hidden=''
    for process in $(processes); do
      maps="$maps $process/maps" descriptors="$descriptors $process/fd"
    done
    # shellcheck disable=SC2086 # paths, to be split
    mapped=$(cat $maps 2>"$2.errors") && break
    # Those that have ended meanwhile don't count.
    hidden=$(sed '/No such/d; s:^cat\: \(/proc/[0-9]*\)/maps\: .*:\1:' "$2.errors")
    [ -s "$2.errors" ] || hidden=unknown
    looks=$((looks + 1))
    # shellcheck disable=SC2086 # paths, to be split
    if [ "$looks" -gt 20 ] || ! is_starting $hidden; then break; fi
    sleep 0.1
  done
  {
    if [ -n "$hidden" ]; then echo unknown; fi
    echo "$mapped" | dir=$1 awk '$2 ~ /^.ws/ && $5 { print index($0, " " ENVIRON["dir"] "/") ? "unknown" : $5 }'
    # shellcheck disable=SC2086 # paths, to be split
    find -L $descriptors -mindepth 1 -maxdepth 1 -type f -cmin -1 -printf '%p %i\n' 2>/dev/null |
      while read -r descriptor inode; do
        case $(sed -n 's/^flags:[[:space:]]*//p' "${descriptor%/fd/*}/fdinfo/${descriptor##*/}" 2>/dev/null) in
          *[1256]) echo "$inode" ;;
        esac
      done
  } | sort -u >"$2.written"
  [ -s "$2.written" ] || return 1
  tr '\0' '\n' <"$2" | awk 'NR == FNR { written[$1] = 1; next }
    { sub(/.*:/, "", $8) } $8 in written || "unknown" in written { found = 1; exit } END { exit !found }' "$2.written" -
}
