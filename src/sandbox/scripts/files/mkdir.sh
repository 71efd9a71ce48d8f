# shellcheck shell=sh disable=SC2154 # paths.sh sets path
# mkdir.sh PATH WITHIN RECURSIVE: makes a directory. If RECURSIVE is yes, makes its parents too, and the directory may
# exist. If RECURSIVE is clear, does the same, but first moves away anything named PATH that is no directory, such as a
# symbolic link.
if [ "$1" = clear ] && { [ -L "$path" ] || { [ -e "$path" ] && [ ! -d "$path" ]; }; }; then
  leads_inside "${path%/*}/"
  move_away "$path"
fi
if [ -e "$path" ] || [ -L "$path" ]; then
  leads_inside "$path"
  if [ "$1" = no ] || [ ! -d "$path" ]; then fail 14 "exists"; fi
elif [ "$1" != no ]; then
  make_dirs "$path"
else
  parent=${path%/*}
  enter "${parent:-/}"
  mkdir -- "./${path##*/}"
fi
