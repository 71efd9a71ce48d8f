# shellcheck shell=sh disable=SC2154 # the scripts before it set the other variables
# delete_checkpoint.sh PATH WITHIN STORE NAME: deletes the checkpoint NAME, if there is one.
find_repository || exit 0
theirs update-ref -d "refs/sandbox/snapshots/$1"
