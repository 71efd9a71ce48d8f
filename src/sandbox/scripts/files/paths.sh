# shellcheck shell=sh disable=SC2034 # path is for the script that follows
# Precedes each script about files. They all take PATH and WITHIN first; WITHIN may be empty.
#
# Exit status: 10 not found; 11 outside WITHIN; 12 wrong type of file; 13 too large; 14 exists; 15 not all of the
# content arrived; 16 changed meanwhile; 17 invalid pattern; 21 a tool is missing; 34 a file that a tool reads by itself
# is not a regular file, or too large; 41 WITHIN was gone, and has been made again, empty; any other: it failed.
set -eu
export LC_ALL=C
path=$1 within=$2
shift 2

fail() {
  echo "$2" >&2
  exit "$1"
}

# move_away PATH: moves what PATH names, even if that is a symbolic link, to where no snapshot keeps it. Sets moved to
# the new path.
move_away() {
  moved=$(mktemp -d /tmp/replaced-XXXXXX) || fail 1 "what has its name can't be moved away"
  moved=$moved/${1##*/}
  mv -T -- "$1" "$moved"
}

# The x preserves a newline at the end of a name.
root=
if [ -n "$within" ]; then
  # Without this directory, nothing works in the workspace. This call fails, so that its caller learns of the loss.
  if [ ! -d "$within" ]; then
    was="was gone"
    if [ -e "$within" ] || [ -L "$within" ]; then
      move_away "$within"
      was="was no directory any more (what it was is in $moved)"
    fi
    mkdir -p -- "$within"
    fail 41 "the workspace's directory $within $was; it has been made again, and is empty"
  fi
  root=$(realpath -e -- "$within" 2>/dev/null && echo x) || fail 10 "the root does not exist"
  root=${root%?x}
  [ "$root" != / ] || root=
fi

# inside PATH: fails unless PATH, which has no symbolic links, is WITHIN or lies in it.
inside() {
  case $1/ in
    "$root"/*) ;;
    *) fail 11 "is outside" ;;
  esac
}

# leads_inside PATH: fails unless PATH leads inside. Call it before printing anything about PATH: a caller learns
# nothing about files outside.
leads_inside() {
  real=$(realpath -m -- "$1" && echo x)
  inside "${real%?x}"
}

# absent PATH WHAT: fails because PATH is not there.
absent() {
  leads_inside "$1"
  fail 10 "$2"
}

# enter DIR: enters DIR, and fails unless it is inside. Checks the kernel's path, because names may change.
enter() {
  cd -P -- "$1" 2>/dev/null || absent "$1" "no such directory"
  here=$(pwd -P && echo x)
  inside "${here%?x}"
}

# make_dirs DIR: makes DIR and its parents below the nearest existing one, which must be inside.
make_dirs() {
  above=$1
  while [ ! -e "$above" ] && [ ! -L "$above" ]; do
    above=${above%/*}
    above=${above:-/}
  done
  [ -d "$above" ] || fail 12 "its parent is not a directory"
  enter "$above"
  rest=${1#"$above"}
  mkdir -p -- "./${rest#/}"
}

# open_file: opens PATH, a regular file, as descriptor 3. Checks the opened file, not what the name leads to by now.
open_file() {
  if [ ! -f "$path" ]; then
    [ -e "$path" ] || absent "$path" "no such file"
    leads_inside "$path"
    [ ! -d "$path" ] || fail 12 "is a directory"
    fail 12 "is not a regular file"
  fi
  exec 3<"$path"
  opened=$(readlink -- /proc/self/fd/3 && echo x)
  inside "${opened%?x}"
}

# enter_directory: enters PATH, a directory.
enter_directory() {
  if [ -e "$path" ] && [ ! -d "$path" ]; then
    leads_inside "$path"
    fail 12 "is not a directory"
  fi
  enter "$path"
}

# parent_of_path: enters PATH's parent, and sets name to PATH's last segment. Fails for WITHIN itself.
parent_of_path() {
  name=${path##*/}
  parent=${path%/*}
  [ -n "$name" ] || fail 12 "is the root"
  enter "${parent:-/}"
}

# is_odd FILE: whether a tool that reads FILE by itself could wait for ever, or read without end: it is a pipe or a
# device, has more than 1 MiB, or leads to a file that the kernel makes up. A missing file and a directory are not odd.
# shellcheck disable=SC2016 # expanded by each shell that uses it
is_odd='is_odd() {
  [ -e "$1" ] && [ ! -d "$1" ] && [ ! "$1" -ef /dev/null ] || return 1
  [ -f "$1" ] && [ "$(stat -L -c %s -- "$1")" -le 1048576 ] || return 0
  case $(realpath -- "$1") in /proc/* | /sys/* | /dev/*) ;; *) return 1 ;; esac
}'
eval "$is_odd"

# refuse_odd FILE…: fails, naming it, for the first FILE that is_odd.
refuse_odd() {
  for file; do
    if is_odd "$file"; then fail 34 "$file can't be read: it is not an ordinary file of at most 1 MiB"; fi
  done
}

# check_rules NAME…: fails if a file of one of these names, in or below the current directory, is_odd, or a file of .git
# that says which files are ignored. All but odd files and links are examined by find alone.
check_rules() {
  first=$1
  shift
  for name; do set -- "$@" -o -name "$name" && shift; done
  set -- -name "$first" "$@"
  # shellcheck disable=SC2016 # expanded by the inner shell
  odd=$(find . '(' -path '*/.git/*' -prune ')' -o '(' -name .git -o '(' '(' "$@" ')' '(' ! -type f -o -size +1024k ')' ')' ')' \
    -exec sh -c 'eval "$1"
      shift
      for file; do
        case ${file##*/} in
          .git)
            set -- "$file" "$file/info/exclude" "$file/commondir"
            if [ -f "$file" ] && ! is_odd "$file"; then
              of=$(sed -n "s/^gitdir: //p" -- "$file" | head -n 1)
              case $of in /*) ;; *) of=${file%/*}/$of ;; esac
              set -- "$of/info/exclude" "$of/commondir"
            fi
            ;;
          *) set -- "$file" ;;
        esac
        for read; do if is_odd "$read"; then printf "%s\n" "$read"; fi; done
      done' sh "$is_odd" {} + 2>/dev/null | head -n 1) || true
  [ -z "$odd" ] || fail 34 "${odd#./} can't be read: it is not an ordinary file of at most 1 MiB"
}

# ripgrep GLOB IGNORED ARGUMENT…: searches files that match GLOB, which may be empty, in the order of their paths. Skips
# files that ignore files name, unless IGNORED is yes.
#
# A glob in --glob would include files that ignore files name. A glob in the ignore file with the lowest priority does
# not.
ripgrep() {
  glob=$1 ignored=$2
  shift 2
  if [ "$ignored" = yes ]; then set -- --no-ignore "$@"; else set -- --no-require-git --no-ignore-global --glob='!.git' "$@"; fi
  set -- rg --no-config --hidden --sort=path "$@"
  if [ -n "$glob" ]; then printf '*\n!*/\n!%s\n' "$glob" | "$@" --ignore-file=/dev/stdin; else "$@"; fi
}

# check_ignore_files IGNORED: checks the files that ripgrep reads by itself, in the current directory, below and above it.
check_ignore_files() {
  [ "$1" = no ] || return 0
  check_rules .gitignore .ignore .rgignore
  above=$(pwd -P && echo x)
  above=${above%?x}
  while [ -n "$above" ]; do
    above=${above%/*}
    refuse_odd "$above/.gitignore" "$above/.ignore" "$above/.rgignore" "$above/.git/info/exclude" "$above/.git/commondir"
    if [ ! -d "$above/.git" ]; then refuse_odd "$above/.git"; fi
  done
}

# check_glob GLOB: refuses an invalid glob. Call it before ripgrep.
check_glob() {
  command -v rg >/dev/null || fail 21 "ripgrep (rg) is not installed"
  [ -z "$1" ] || [ "$(cd / && ripgrep '' yes --files --glob="$1" /dev/null >/dev/null || echo "$?")" != 2 ] || exit 17
}
