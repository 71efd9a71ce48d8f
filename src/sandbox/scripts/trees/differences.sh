# shellcheck shell=sh disable=SC2154 # paths.sh sets path
# differences.sh PATH WITHIN DIR: compares the tree below PATH with the records on standard input, each ended by a NUL.
# Prints, compressed by gzip, the records that only standard input has, after a -, and then those that only the tree
# has, after a +. DIR is a work directory, always removed.
dir=$1
trap 'rm -rf -- "$dir"' EXIT
trap 'exit 143' HUP INT TERM
command -v gzip >/dev/null || fail 21 "gzip is not installed"
mkdir -m 700 -- "$dir"
sort -z >"$dir/old"
enter_directory
list_tree >"$dir/new"
{
  comm -z -23 -- "$dir/old" "$dir/new" | sed -z 's/^/-/'
  comm -z -13 -- "$dir/old" "$dir/new" | sed -z 's/^/+/'
} | gzip -1 -n
