# shellcheck shell=sh disable=SC2154 # count_processes sets others and oldest
# keep_output.sh ALL NAME SHOWN MOST BEGAN: keeps standard input, the output of a command whose caller gave up, as the
# log of a process of this name: as if the command had been started in the background and had ended. The arguments are
# as for start_process.sh; BEGAN is when the command began.
set -u
all=$1 dir=$1/$2 most=$4
[ -d "$all" ] || mkdir -m 700 -- "$all"
exec 9>"$all/.lock"
flock 9
count_processes "$all" "$dir"
[ "$others" -lt "$most" ] || rm -rf -- "$oldest"
rm -rf -- "$dir"
mkdir -m 700 -- "$dir"
printf '%s\n' "$3" >"$dir/command"
cat >"$dir/log"
echo "$5" >"$dir/began"
echo "- $(date +%s%3N)" >"$dir/status"
# No process has this id.
echo "0 0" >"$dir/leader"
