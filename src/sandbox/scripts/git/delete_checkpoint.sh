# shellcheck shell=sh disable=SC2034,SC2154 # the scripts before it use and set the other variables
# delete_checkpoint.sh PATH WITHIN STORE NAME: deletes the git checkpoint NAME, if it exists, and leftovers of a killed
# git. Prints how many bytes of the repository only the git checkpoint had, which stay until git removes them; nothing
# if that is not known.
find_repository || exit 0
commit=$(theirs rev-parse --verify --quiet "refs/sandbox/snapshots/$1^{commit}") || commit=
update_ref -d "refs/sandbox/snapshots/$1"
clean_temporary -mmin +10
git_limit=20
[ -z "$commit" ] || theirs rev-list --disk-usage --objects "$commit" --not --all --reflog --indexed-objects 2>/dev/null || true
