# shellcheck shell=sh
# Precedes the scripts that compare a tree.

# list_tree [ACTION…]: prints the tree below the working directory as records (src/domain/tree/record.rs), each ended by a
# NUL, in the order of their bytes. Leaves out an entry that vanishes meanwhile. ACTION is one of find for each entry.
list_tree() {
  { find . -mindepth 1 "$@" \
    '(' -type f -printf 'f %m %U %G %s %T@ %P\0' ')' -o \
    '(' -type d -printf 'd %m %U %G 0 0 %P\0' ')' -o \
    '(' -type l -printf 'l %m %U %G %s 0 %P>%l\0' ')' -o \
    -printf '%y %m %U %G 0 0 %P\0' 2>/dev/null || true; } |
    sed -z -E 's/^(f [0-7]+ [0-9]+ [0-9]+ [0-9]+ -?[0-9]+)\.[0-9]+ /\1 /' | sort -z
}
