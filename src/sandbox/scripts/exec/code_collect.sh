# shellcheck shell=sh
# code_collect.sh DIR VALUE_MAX FILE_MAX FILES: prints the results of a code run in DIR. May run twice.
#
# Prints the contents of the files note, left and result, then the name and the content of each file in the directory
# out, in the order of their names. A NUL ends each name and each content. Contents are in base64. Each content is cut
# one byte past its limit in bytes, VALUE_MAX or FILE_MAX. It is empty after the first FILES files, and if there is no
# such file.
set -eu
export LC_ALL=C
dir=$1 value_max=$2 file_max=$3 files=$4

# content FILE MAX
content() {
  if [ -f "$1" ]; then head -c "$(($2 + 1))" -- "$1" | base64 -w 0; fi
  printf '\0'
}

content "$dir/note" 100
content "$dir/left" 2000
content "$dir/result" "$value_max"
for file in "$dir"/out/*; do
  [ -f "$file" ] || continue
  printf '%s\0' "${file##*/}"
  if [ "$files" -gt 0 ]; then content "$file" "$file_max"; else printf '\0'; fi
  files=$((files - 1))
done
