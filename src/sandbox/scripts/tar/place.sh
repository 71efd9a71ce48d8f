# shellcheck shell=sh
# Precedes the scripts that put an extracted tree in place.

# each VERB FROM TO: calls VERB with each entry of FROM and its place in TO. It uses arguments as local variables,
# because it is recursive.
each() {
  for entry in "$2"/* "$2"/.[!.]* "$2"/..?*; do
    if [ -e "$entry" ] || [ -L "$entry" ]; then "$1" "$entry" "$3/${entry##*/}"; fi
  done
}

is_directory() { [ -d "$1" ] && [ ! -L "$1" ]; }

# move_directory FROM TO: moves a directory, or merges it into an existing one. Does nothing for a file; merge moves
# files.
move_directory() {
  is_directory "$1" || return 0
  if is_directory "$2"; then
    merge "$1" "$2"
  else
    mv -T -- "$1" "$2"
  fi
}

merge() {
  find "$1" -mindepth 1 -maxdepth 1 ! -type d -exec mv --force --target-directory="$2" -- {} +
  each move_directory "$1" "$2"
}
