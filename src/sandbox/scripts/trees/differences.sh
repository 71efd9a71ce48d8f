# shellcheck shell=sh disable=SC2154 # paths.sh sets path, and manifest.sh record
# differences.sh PATH WITHIN DIR [MANIFEST CHAIN]: compares the tree below PATH with the records on standard input, each
# ended by a NUL. Prints, compressed by gzip, the records that only standard input has, each after a -, and then those
# that only the tree has, each after a +. DIR is a work directory, always removed.
#
# In the given records, the time of a file may have a mark before it: then equal size and time prove nothing. With the
# mark =, the file is as in the archives of CHAIN, and MANIFEST proves what has changed since. With the mark ?, the
# content decides: its SHA-256 may follow the time, after a colon. A file that is not proven to be the same differs, and
# is printed with ? as its time. If MANIFEST does not list the tree of CHAIN, prints only "!".
dir=$1 manifest=${2-} chain=${3-}
trap 'rm -rf -- "$dir"' EXIT
trap "trap '' HUP INT TERM; exit 143" HUP INT TERM
command -v gzip >/dev/null || fail 21 "gzip is not installed"
mkdir -m 700 -- "$dir"
sort -z >"$dir/given"
enter_directory

# keep MANIFEST CHAIN: links MANIFEST's list as DIR/kept, if MANIFEST is of CHAIN. A backup may replace both at any
# moment.
keep() {
  is_of "$1" "$2" || return 1
  noted=$(cat -- "$1" 2>/dev/null) && ln -- "$1.tree" "$dir/kept" 2>/dev/null || return 1
  [ "$(cat -- "$1" 2>/dev/null)" = "$noted" ]
}

if [ -n "$chain" ]; then
  # A restore writes the manifest in the background, and holds the lock meanwhile: wait for that.
  [ -f "$manifest" ] || flock --shared --wait 5 "${dir%/*}/lock" true || true
  if ! keep "$manifest" "$chain"; then
    printf '!\0' | gzip -1 -n
    exit 0
  fi
fi

# Type, mode, owner and size of a file, as a regular expression.
file='f [0-7]+ [0-9]+ [0-9]+ [0-9]+'
sum='[0-9a-f]{64}'
# Records of files that are proven to be the same, without marks.
: >"$dir/proven"
if [ -n "$chain" ]; then
  list_tree -fprintf "$dir/listed" "$record" >"$dir/new"
  sort -z -- "$dir/kept" >"$dir/was"
  sort -z -- "$dir/listed" >"$dir/is"
  sed -z -n -E "s/^($file) =(-?[0-9]+) /\\1 \\2 /p" "$dir/given" | sort -z >"$dir/saved"
  comm -z -12 -- "$dir/was" "$dir/is" |
    sed -z -n -E "s:^[0-9]+ [^ ]+ ($file) [^ ]+ [0-9]+ (-?[0-9]+)(\\.[0-9]+)? //:\\1 \\2 :p" | sort -z |
    comm -z -12 -- "$dir/saved" - >>"$dir/proven"
else
  list_tree >"$dir/new"
fi
sed -z -n -E "s/^($file) \\?(-?[0-9]+):$sum /\\1 \\2 /p" "$dir/given" | sort -z | comm -z -12 -- - "$dir/new" >"$dir/asked"
# A name alone could be an option, or mean standard input.
sed -z -E "s:^$file -?[0-9]+ :./:" "$dir/asked" | xargs -0 -r sha256sum -z -- >"$dir/sums" 2>/dev/null || true
# A file that vanished meanwhile shifts the sums of those after it: these files are then not proven.
paste -z -d ' ' -- "$dir/asked" "$dir/sums" |
  sed -z -n -E "s:^($file) (-?[0-9]+) (.*) ($sum)  \\./\\3$:\\1 ?\\2\\:\\4 \\3:p" | sort -z | comm -z -12 -- - "$dir/given" |
  sed -z -E "s/^($file) \\?(-?[0-9]+):$sum /\\1 \\2 /" >>"$dir/proven"
sort -z -o "$dir/proven" -- "$dir/proven"
# No pipes from here on: if a command in one is ended, what it leaves out would look the same in both trees.
sed -z -E "/^$file [=?]/d" "$dir/given" >"$dir/unmarked"
sed -z -n -E "s/^($file) [=?](-?[0-9]+)(:$sum)? /\\1 \\2 /p" "$dir/given" >"$dir/marked"
sort -z -o "$dir/marked" -- "$dir/marked"
comm -z -23 -- "$dir/marked" "$dir/proven" >"$dir/not-proven"
sed -z -E "s/^($file) -?[0-9]+ /\\1 ? /" "$dir/not-proven" >"$dir/doubtful"
sort -z -- "$dir/proven" "$dir/unmarked" "$dir/doubtful" >"$dir/old"
comm -z -23 -- "$dir/old" "$dir/new" >"$dir/gone"
comm -z -13 -- "$dir/old" "$dir/new" >"$dir/came"
sed -z 's/^/-/' "$dir/gone" >"$dir/told"
sed -z 's/^/+/' "$dir/came" >>"$dir/told"
gzip -1 -n <"$dir/told"
