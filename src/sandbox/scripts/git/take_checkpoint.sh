# shellcheck shell=sh disable=SC2034,SC2154 # the scripts before it set and use the other variables
# take_checkpoint.sh PATH WITHIN STORE NAME REPLACE NESTED DESCRIPTION: takes the git checkpoint NAME, and prints
# "COMMIT FILES MADE" and at most NESTED nested repositories, each with a NUL. MADE is yes if PATH had no repository,
# and got one.
#
# If REPLACE is no, fails with status 14 if NAME exists.
name=$1 replace=$2 nested=$3 description=$4
made=no
if ! find_repository; then
  safe_git init --quiet --initial-branch=main --template= -- "$dir"
  made=yes
  find_repository
fi
begin
ref=refs/sandbox/snapshots/$name
before=$(theirs rev-parse --verify --quiet "$ref") || before=
[ -z "$before" ] || [ "$replace" = yes ] || fail 14 "there is a git checkpoint $name"
clean_temporary -mmin +10
written=$objects
stage
# Checkpoints are listed by the committer's time, which has whole seconds: each new one is later than all others.
last=$(theirs for-each-ref --sort=-committerdate --count=1 --format='%(committerdate:unix)' refs/sandbox/snapshots/)
now=$(date +%s)
[ "$now" -gt "${last:-0}" ] || now=$((last + 1))
commit=$(printf '%s' "$description" | GIT_COMMITTER_DATE="@$now +0000" private commit-tree "$tree")
update_ref "$ref" "$commit" "$before"
mv -f -- "$index" "$cache/index"
give_back
printf '%s %s %s\0' "$commit" "$(tr -dc '\0' <"$work/files" | wc -c)" "$made"
print_nested "$nested"
