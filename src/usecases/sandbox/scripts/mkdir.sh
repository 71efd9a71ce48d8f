# shellcheck shell=sh disable=SC2154 # paths.sh sets path
# mkdir.sh PATH WITHIN RECURSIVE: makes a directory; if RECURSIVE is yes, its parents too, and it may exist.
above=$path
while [ ! -e "$above" ] && [ ! -L "$above" ]; do
  above=${above%/*}
  above=${above:-/}
done
[ -d "$above" ] || [ "$above" = "$path" ] || fail 12 "its parent is not a directory"
if [ "$above" = "$path" ]; then
  if [ "$1" = no ] || [ ! -d "$path" ]; then fail 14 "exists"; fi
  enter "$path"
  exit
fi
enter "$above"
rest=${path#"$above"}
rest=${rest#/}
if [ "$1" = yes ]; then
  mkdir -p -- "./$rest"
else
  case $rest in */*) fail 10 "its parent does not exist" ;; esac
  mkdir -- "./$rest"
fi
