# shellcheck shell=sh
# code_collect.sh DIR VALUE_MAX FILE_MAX FILES: prints what a run of code left in DIR, and removes DIR.
#
# First the file result, then for each file of the directory out, in the order of their names, its name and its content.
# After each of these comes a NUL. A content is in base64; one past its limit is cut after one byte more than that, and
# those after the first FILES are left empty.
set -eu
export LC_ALL=C
dir=$1 value_max=$2 file_max=$3 files=$4
trap 'rm -rf -- "$dir"' EXIT

# content FILE MAX
content() {
  head -c "$(($2 + 1))" -- "$1" | base64 -w 0
  printf '\0'
}

if [ -f "$dir/result" ]; then content "$dir/result" "$value_max"; else printf '\0'; fi
for file in "$dir"/out/*; do
  [ -f "$file" ] || continue
  printf '%s\0' "${file##*/}"
  if [ "$files" -gt 0 ]; then content "$file" "$file_max"; else printf '\0'; fi
  files=$((files - 1))
done
