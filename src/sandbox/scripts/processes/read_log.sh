# shellcheck shell=sh
# read_log.sh ALL NAME OFFSET MOST WAIT: prints a line of tell, the position of the output that follows, and the output:
# at most MOST bytes from OFFSET on, or the last bytes if OFFSET is empty. If there is no output after OFFSET yet, waits
# for up to WAIT tenths of a second. Exit status: 10 there is no such process.
set -u
find_process "$1" "$2"
offset=$3 most=$4 wait=$5
# shellcheck disable=SC2154 # find_process, of processes.sh, sets dir
while [ -n "$offset" ] && [ "$wait" -gt 0 ] && [ "$(log_end "$dir")" -le "$offset" ] && runs "$dir"; do
  wait=$((wait - 1))
  sleep 0.1
done
exec 8>"$dir/.lock"
flock 8
tell "$dir"
end=$(log_end "$dir") first=0
read -r first 2>/dev/null <"$dir/dropped" || :
[ -n "$offset" ] || offset=$((end - most))
[ "$offset" -ge "$first" ] || offset=$first
[ "$offset" -le "$end" ] || offset=$end
echo "$offset"
tail -c "+$((offset - first + 1))" -- "$dir/log" | head -c "$most"
