# shellcheck shell=sh disable=SC2154 # paths.sh sets path
# stat.sh PATH WITHIN: prints "TYPE SIZE MTIME MODE UID GID TARGET" and a NUL about PATH. Does not follow a symbolic
# link; TARGET is its text, else empty.
if [ -d "$path" ] && [ ! -L "$path" ]; then
  enter "$path"
  name=.
else
  parent_of_path
  [ -e "./$name" ] || [ -L "./$name" ] || fail 10 "no such file"
  name=./$name
fi
find "$name" -maxdepth 0 -printf '%y %s %T@ %m %U %G %l\0'
