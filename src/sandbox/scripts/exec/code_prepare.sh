# shellcheck shell=sh
# code_prepare.sh DIR INTERPRETER SIZE: makes DIR, stores the SIZE bytes of standard input there as the file code, and
# makes an empty directory out.
#
# Exit status: 21 INTERPRETER is not installed; 15 not all of the code arrived; any other: it failed.
set -eu
command -v "$2" >/dev/null || {
  echo "$2 is not installed" >&2
  exit 21
}
mkdir -p -- "$1/out"
cat >"$1/code"
[ "$(stat -c %s -- "$1/code")" -eq "$3" ] || exit 15
