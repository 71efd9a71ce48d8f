# shellcheck shell=sh disable=SC2016 # the inner shells expand
# Precedes the scripts that replace files. A database of SQLite has several files: beside NAME there may be NAME-wal,
# NAME-shm and NAME-journal. Replacing one of them while a program has it open destroys the database. So do files that a
# former database left beside a new one.

# is_database NAME: whether NAME is a file of a database.
is_database() {
  case $1 in *-wal | *-shm | *-journal) set -- "${1%-*}" ;; esac
  [ -f "$1" ] || return 1
  [ "$(head -c 15 -- "$1" | tr '\0' ' ')" = 'SQLite format 3' ]
}

# spare_databases WORK: fails with 36 if a process has a database open that one of the names on standard input belongs
# to. The names are paths below the working directory, each ended by a NUL and beginning with "./". Writes to files
# named WORK.
spare_databases() {
  find -L /proc/[0-9]*/fd -mindepth 1 -maxdepth 1 -type f -printf '^%D:%i \n' 2>/dev/null | sort -u >"$1.open"
  # One file of a database stands for its others, too.
  sed -z -E 'p; s/-(wal|shm|journal)$//; p; s/$/-wal/' | { xargs -0 -r stat --printf '%d:%i %n\0' -- 2>/dev/null || true; } |
    grep -z -f "$1.open" | sed -z -E 's/^[0-9]+:[0-9]+ //' >"$1.used" || true
  xargs -0 -r sh -c '
    for file; do
      base=$file
      case $file in *-wal | *-shm | *-journal) base=${file%-*} ;; esac
      # It may be a pipe.
      [ -f "$base" ] || continue
      [ "$(head -c 15 -- "$base" 2>/dev/null | tr "\0" " ")" = "SQLite format 3" ] || continue
      # Not by -samefile: find would open the file, and find itself.
      id=$(stat -c "%d:%i" -- "$file" 2>/dev/null) || continue
      user=$(find -L /proc/[0-9]*/fd -mindepth 1 -maxdepth 1 -type f -printf "%D:%i %p\n" 2>/dev/null |
        sed -n "s,^$id /proc/\([0-9]*\)/.*,\1,p" | head -n 1)
      [ -n "$user" ] || continue
      words=$(tr "\0\n" "  " 2>/dev/null <"/proc/$user/cmdline" | cut -c 1-80)
      echo "${base#./} is a database that process $user has open: $words"
    done' sh <"$1.used" >"$1.busy"
  [ ! -s "$1.busy" ] || fail 36 "$(head -n 1 -- "$1.busy")"
}

# stale_companions TREE: prints the files that former databases left below the working directory and that the databases
# in TREE do not replace. The names are as spare_databases takes them.
stale_companions() {
  (cd -- "$1" && find . -type f -print0) | tree=$1 xargs -0 -r sh -c '
    for file; do
      for companion in "$file-wal" "$file-shm" "$file-journal"; do
        if [ -f "$companion" ] && [ ! -e "$tree/$companion" ]; then
          [ "$(head -c 15 -- "$tree/$file" | tr "\0" " ")" != "SQLite format 3" ] || printf "%s\0" "$companion"
        fi
      done
    done' sh
}
