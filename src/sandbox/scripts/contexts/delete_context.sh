# shellcheck shell=sh disable=SC2154 # processes.sh sets dir
# delete_context.sh: follows stop_process.sh, which has ended the context. Removes its directory.
rm -rf -- "$dir"
