# shellcheck shell=sh disable=SC2154 # paths.sh sets path
# differences.sh PATH WITHIN DIR: compares the tree below PATH with the records on standard input, as
# src/domain/tree/record.rs describes them, each ended by a NUL. Prints, compressed by gzip, the records that only
# standard input has, after a -, and then those that only the tree has, after a +.
#
# DIR is a work directory, always removed. Leaves out an entry that vanishes meanwhile.
dir=$1
trap 'rm -rf -- "$dir"' EXIT
trap 'exit 143' HUP INT TERM
command -v gzip >/dev/null || fail 21 "gzip is not installed"
mkdir -m 700 -- "$dir"
sort -z >"$dir/old"
enter_directory
{ find . -mindepth 1 \
  '(' -type f -printf 'f %m %U %G %s %T@ %P\0' ')' -o \
  '(' -type d -printf 'd %m %U %G 0 0 %P\0' ')' -o \
  '(' -type l -printf 'l %m %U %G %s 0 %P>%l\0' ')' -o \
  -printf '%y %m %U %G 0 0 %P\0' 2>/dev/null || true; } |
  sed -z -E 's/^(f [0-7]+ [0-9]+ [0-9]+ [0-9]+ -?[0-9]+)\.[0-9]+ /\1 /' | sort -z >"$dir/new"
{
  comm -z -23 -- "$dir/old" "$dir/new" | sed -z 's/^/-/'
  comm -z -13 -- "$dir/old" "$dir/new" | sed -z 's/^/+/'
} | gzip -1 -n
