# shellcheck shell=sh disable=SC2154 # paths.sh sets path
# watch.sh PATH WITHIN GROUP SOURCE MAX RECURSIVE [EXCLUDE…]: prints the changes in the directory PATH until it is
# ended. SOURCE is the text of watch.py, which documents the output. The file GROUP holds the id of this process group
# for stop.sh; the group's leader is this script's parent.
group=$1 source=$2
shift 2
trap 'rm -f -- "$group"' EXIT
trap "trap '' HUP INT TERM; exit 143" HUP INT TERM
echo "$PPID" >"$group"
enter_directory
command -v python3 >/dev/null || fail 21 "python3 is not installed"
# Without -I, Python would import modules of the watched directory.
python3 -I -S -c "$source" "$@"
