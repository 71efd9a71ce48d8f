# shellcheck shell=sh disable=SC2154 # paths.sh sets path
# watch.sh PATH WITHIN GROUP SOURCE MAX RECURSIVE [EXCLUDE…]: prints what changes in the directory PATH, as the Python
# program SOURCE (watch.py) says, until it is ended. GROUP is a file that holds the id of its process group, whose leader is
# its parent, for stop.sh.
group=$1 source=$2
shift 2
trap 'rm -f -- "$group"' EXIT
trap 'exit 143' HUP INT TERM
echo "$PPID" >"$group"
enter_directory
command -v python3 >/dev/null || fail 21 "python3 is not installed"
# Without -I it would import modules of the directory that it watches.
python3 -I -S -c "$source" "$@"
