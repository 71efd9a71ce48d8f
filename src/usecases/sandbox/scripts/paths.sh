# shellcheck shell=sh disable=SC2034 # path is for the script that follows
# Comes before each of the scripts about files. They all take PATH and WITHIN first; WITHIN may be empty.
#
# Exit status: 10 not found; 11 outside of WITHIN; 12 not the right type of file; 13 too large; 14 exists;
# 15 not all of the content arrived; else it failed.
set -eu
export LC_ALL=C
path=$1 within=$2
shift 2

fail() {
  echo "$2" >&2
  exit "$1"
}

# The x keeps a newline at the end of a name from being dropped.
root=
if [ -n "$within" ]; then
  root=$(realpath -e -- "$within" 2>/dev/null && echo x) || fail 10 "the root does not exist"
  root=${root%?x}
  [ "$root" != / ] || root=
fi

# inside PATH: goes on only if PATH, free of symbolic links, is WITHIN or lies in it.
inside() {
  case $1/ in
    "$root"/*) ;;
    *) fail 11 "is outside" ;;
  esac
}

# enter DIR: goes there, and on only if it is inside. The kernel says where it is: not a name that may change.
enter() {
  cd -P -- "$1" 2>/dev/null || fail 10 "no such directory"
  here=$(pwd -P && echo x)
  inside "${here%?x}"
}

# make_dirs DIR: makes DIR and its parents, below the nearest one that exists, which must be inside.
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
