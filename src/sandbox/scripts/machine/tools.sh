# shellcheck shell=sh
# Precedes the scripts that work while the container's programs are replaced, or right after. They run copies of the
# image's programs: those of the machine may be gone, or need libraries that are not there yet.

# use_tools OWN: from here on, programs are the copies in OWN/tools, if there are any, and no others.
use_tools() {
  [ -d "$1/tools" ] || return 0
  PATH=$1/tools/bin LD_LIBRARY_PATH=$1/tools/lib
  export PATH LD_LIBRARY_PATH
}

# keep_tools OWN: copies the programs that restores run, with their libraries and the loader. A copy is started by the
# copied loader, because the path of a loader is part of each program. Makes no copies where that does not work.
keep_tools() {
  copies=$1/tools
  rm -rf -- "$copies" "$copies.new"
  command -v ldd >/dev/null || return 0
  mkdir -m 700 -- "$copies.new" "$copies.new/bin" "$copies.new/lib" "$copies.new/real"
  for tool in sh awk basename cat chmod chown cmp comm cp cut date df dirname du env find flock grep head ln ls mkdir mktemp mv \
    nproc od readlink realpath rm rmdir sed seq sha256sum sleep sort stat tail tar tee timeout touch tr uniq unsquashfs wc xargs; do
    found=$(command -v "$tool") || continue
    cp -L -- "$found" "$copies.new/real/$tool"
  done
  # ldd fails for programs without libraries.
  ldd "$copies.new/real"/* >"$copies.new/needed" 2>/dev/null || true
  awk '/:$/ { tool = $1; sub(/:$/, "", tool); sub(/.*\//, "", tool) }
    $2 == "=>" && $3 ~ /^\// { print "library", $1, $3 }
    $1 ~ /^\// && $2 ~ /^\(/ { print "loader", tool, $1 }' "$copies.new/needed" | sort -u | while read -r kind name path; do
    if [ "$kind" = library ]; then
      cp -L -- "$path" "$copies.new/lib/${name##*/}"
      continue
    fi
    [ -e "$copies.new/loader" ] || cp -L -- "$path" "$copies.new/loader"
    {
      echo "#!$copies/loader $copies/real/sh"
      echo "exec $copies/loader $copies/real/$name \"\$@\""
    } >"$copies.new/bin/$name"
    chmod 700 -- "$copies.new/bin/$name"
  done
  for tool in "$copies.new/real"/*; do
    [ -e "$copies.new/bin/${tool##*/}" ] || ln -s -- "$copies/real/${tool##*/}" "$copies.new/bin/${tool##*/}"
  done
  mv -T -- "$copies.new" "$copies"
  (use_tools "$1" && find "$copies" -maxdepth 0 -exec cat -- "$copies/needed" '{}/needed' ';' >/dev/null 2>&1) || rm -rf -- "$copies"
}
