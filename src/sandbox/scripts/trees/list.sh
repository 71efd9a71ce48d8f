# shellcheck shell=sh disable=SC2154 # the scripts that follow set dir
# Precedes the scripts that compare a tree.

# list_tree [ACTION…]: prints the tree below the working directory as records (src/domain/tree/record.rs), each ended by
# a NUL, in the order of their bytes. Leaves out an entry that vanishes meanwhile, but fails for any other reason: files
# that are not listed would look removed. ACTION is an action of find for each entry. Writes to files in dir.
list_tree() {
  listing=0
  find . -mindepth 1 "$@" \
    '(' -type f -printf 'f %m %U %G %s %T@ %P\0' ')' -o \
    '(' -type d -printf 'd %m %U %G 0 0 %P\0' ')' -o \
    '(' -type l -printf 'l %m %U %G %s 0 %P>%l\0' ')' -o \
    -printf '%y %m %U %G 0 0 %P\0' >"$dir/found" 2>"$dir/errors" || listing=$?
  if [ "$listing" -gt 1 ] ||
    { [ "$listing" -eq 1 ] && grep -q -v -e ': No such file or directory$' -e ': Not a directory$' "$dir/errors"; }; then
    fail 1 "the files can't be listed: $(tail -n 1 -- "$dir/errors")"
  fi
  # No pipe, which would hide how its first command ended.
  sed -z -E 's/^(f [0-7]+ [0-9]+ [0-9]+ [0-9]+ -?[0-9]+)\.[0-9]+ /\1 /' "$dir/found" >"$dir/cut"
  sort -z -- "$dir/cut"
}
