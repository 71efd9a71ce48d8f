# shellcheck shell=sh disable=SC2154 # the scripts before it set the other variables
# diff_checkpoint.sh PATH WITHIN STORE NAME NESTED BYTES: prints "COMMIT FILES INSERTIONS DELETIONS" and at most NESTED
# nested repositories, each with a NUL, and at most BYTES of the unified diff from the git checkpoint NAME to the
# present files.
find_repository || fail 28 "there is no git checkpoint $1"
begin
checkpoint "$1"
stage "$commit"
target "$commit"
stat=$(changes --shortstat "$target" "$tree")
# count WORD: prints the number before WORD.
count() { printf '%s\n' "$stat" | sed -n "s/.* \([0-9]\{1,\}\) $1.*/\1/p" | grep . || echo 0; }
printf '%s %s %s %s\0' "$commit" "$(count file)" "$(count insertion)" "$(count deletion)"
print_nested "$2"
changes -p "$target" "$tree" | head -c "$3"
