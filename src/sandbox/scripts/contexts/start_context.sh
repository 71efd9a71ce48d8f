# shellcheck shell=sh
# start_context.sh: follows start_process.sh, which has started a code context as a background process. Waits until it takes
# calls. Exit status: 15 it does not start.
# shellcheck disable=SC2154 # start_process.sh and processes.sh set dir and leader
exec 9>&-
tries=0
until [ -e "$dir/ready" ] || ! runs "$dir" || [ "$tries" -ge 600 ]; do
  tries=$((tries + 1))
  sleep 0.05
done
if [ ! -e "$dir/ready" ]; then
  ! runs "$dir" || kill -s KILL -- "-$leader"
  echo "the interpreter does not start: $(tail -c 300 -- "$dir/log" | tr '\n' ' ')" >&2
  rm -rf -- "$dir"
  exit 15
fi
