# shellcheck shell=sh disable=SC2154 # the scripts before it set the other variables
# restore_checkpoint.sh PATH WITHIN STORE NAME NESTED CHANGES: restores the files of the git checkpoint NAME. Prints
# "COMMIT COUNT", at most NESTED nested repositories, and STATUS and path of at most CHANGES of the COUNT changes, each
# with a NUL.
#
# Git compares all files before it changes one. It leaves ignored files alone, and follows no symbolic link.
find_repository || fail 28 "there is no git checkpoint $1"
begin
checkpoint "$1"
stage "$commit"
target "$commit"
changes -z --name-status "$tree" "$target" >"$work/changes"
if [ -s "$work/changes" ]; then
  before=$(private commit-tree "$tree" </dev/null)
  after=$(private commit-tree "$target" </dev/null)
  echo "$before" >"$work/HEAD"
  if ! private checkout --quiet --detach --no-overwrite-ignore "$after" 2>"$work/errors"; then
    in_the_way=$(sed -n 's/^\t//p' -- "$work/errors" | head -n 5 | paste -s -d ,)
    [ -z "$in_the_way" ] || fail 16 "ignored files, or files that just changed, are in the way, so nothing was restored: $in_the_way"
    fail 30 "restored in part: $(grep -m 1 -e '^error: ' -e '^fatal: ' -- "$work/errors" || echo 'git failed')"
  fi
fi
mv -f -- "$index" "$cache/index"
give_back
printf '%s %s\0' "$commit" "$(($(tr -dc '\0' <"$work/changes" | wc -c) / 2))"
print_nested "$2"
head -z -n "$(($3 * 2))" -- "$work/changes"
