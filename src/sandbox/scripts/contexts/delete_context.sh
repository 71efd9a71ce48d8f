# shellcheck shell=sh
# delete_context.sh: follows stop_process.sh, which has ended the context. Forgets it.
rm -rf -- "$dir"
