# shellcheck shell=sh
# context.sh DIR MEMORY IDLE SOURCE INTERPRETER: becomes the interpreter of a code context. start_context.sh starts this as
# a background process, so that DIR is the process's directory.
#
# The interpreter reads calls from the FIFO requests: each is a line with the directory of a call, which
# run_in_context.sh made. While a call runs, the file running has that directory. The interpreter ends after IDLE
# seconds without a call, and then writes the reason to the file why. MEMORY is its limit in MiB, for Python's data or
# for JavaScript's objects.
set -eu
dir=$1 memory=$2 idle=$3 source=$4 interpreter=$5
mkfifo -m 600 -- "$dir/requests"
case $interpreter in
  python3)
    # shellcheck disable=SC3045 # dash and bash have it
    ulimit -d "$((memory * 1024))"
    exec python3 -c "$source" "$dir" "$idle"
    ;;
  *) exec "$interpreter" --max-old-space-size="$memory" -e "$source" "$dir" "$idle" ;;
esac
