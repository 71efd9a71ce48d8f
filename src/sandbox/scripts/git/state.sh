# shellcheck shell=sh disable=SC2034,SC2154 # the scripts before it set and use the other variables
# state.sh PATH WITHIN STORE: prints the commit of HEAD, the branch (both may be empty), and yes if nothing is
# uncommitted, else no, each with a NUL. Prints nothing if PATH has no repository.
git_limit=3
find_repository || exit 0
check_rules .gitignore .gitattributes .gitmodules
begin
head=$(theirs rev-parse --verify --quiet 'HEAD^{commit}') || head=
branch=$(theirs symbolic-ref --short --quiet HEAD) || branch=
[ -z "$head" ] || echo "$head" >"$work/HEAD"
index=$work/index
[ ! -f "$gitdir/index" ] || cp -p -- "$gitdir/index" "$index"
# Git would examine submodules with their own configuration.
private status --porcelain --no-renames --ignore-submodules=all >"$work/changes"
clean=yes
[ ! -s "$work/changes" ] || clean=no
printf '%s\0%s\0%s\0' "$head" "$branch" "$clean"
