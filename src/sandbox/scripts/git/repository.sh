# shellcheck shell=sh disable=SC2034,SC2154 # paths.sh sets some of the variables, and the scripts that follow use others
# Precedes each script about checkpoints, after paths.sh. They all take PATH WITHIN STORE first, and act on the repository
# whose work tree is PATH. STORE holds what may be kept between calls: for each work tree an index, which saves hashing.
#
# Exit status, beside those of paths.sh: 23 another call is at work; 28 no such checkpoint; 29 a repository that can't be
# used; 30 restored in part; 35 a lock of another git is in the way.
#
# Git reads a repository's configuration, attributes and hooks, and they may run programs or change what is stored. So all
# work on files is done by `private`, with a git directory of our own. Only refs and the list of tracked files come from
# the repository itself, by `theirs`.
store=$1
shift
command -v git >/dev/null || fail 21 "git is not installed"
umask 022
for variable in $(env | sed -n 's/^\(GIT_[A-Z0-9_]*\)=.*/\1/p'); do unset "$variable"; done
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_ATTR_NOSYSTEM=1 GIT_NO_LAZY_FETCH=1 \
  GIT_NO_REPLACE_OBJECTS=1 GIT_OPTIONAL_LOCKS=0 GIT_LITERAL_PATHSPECS=1 GIT_TERMINAL_PROMPT=0 GIT_PAGER=cat \
  GIT_AUTHOR_NAME=snapshotter GIT_AUTHOR_EMAIL=checkpoints@snapshotter.invalid \
  GIT_COMMITTER_NAME=snapshotter GIT_COMMITTER_EMAIL=checkpoints@snapshotter.invalid

enter_directory
dir=${here%?x}

# safe_git ARGUMENT…: runs git, and no program that a configuration names, for at most $git_limit seconds: files of the
# repository may lead to data that never ends.
git_limit=600
safe_git() {
  timeout --foreground --kill-after=1 "$git_limit" git --no-pager -c safe.directory='*' -c core.hooksPath=/dev/null -c core.fsmonitor=false -c core.untrackedCache=false \
    -c core.excludesFile=/dev/null -c core.attributesFile=/dev/null -c core.logAllRefUpdates=false -c gc.auto=0 \
    -c maintenance.auto=false -c core.protectNTFS=false -c core.bigFileThreshold=8m "$@"
}

# theirs ARGUMENT…: runs git on the repository itself.
theirs() { safe_git --git-dir="$gitdir" --work-tree="$dir" "$@"; }

# private ARGUMENT…: runs git on the work tree with our git directory, the index $index, and new objects in $written.
private() (
  export GIT_INDEX_FILE="$index" GIT_OBJECT_DIRECTORY="$written" GIT_ALTERNATE_OBJECT_DIRECTORIES="$work/theirs"
  safe_git --git-dir="$work" --work-tree="$dir" "$@"
)

# kept_inside PATH: sets real to where PATH leads, which must be inside WITHIN.
kept_inside() {
  real=$(realpath -e -- "$1" 2>/dev/null && echo x) || fail 29 "its .git leads nowhere"
  real=${real%?x}
  case $real/ in
    "$root"/*) ;;
    *) fail 29 "its repository is stored outside the workspace" ;;
  esac
}

# pointed FILE PREFIX BASE: reads the path after PREFIX in FILE, and sets real to where it leads. A relative path begins
# at BASE.
pointed() {
  text=$(head -c 4096 -- "$1")
  case $text in
    "$2"/*) kept_inside "${text#"$2"}" ;;
    "$2"?*) kept_inside "$3/${text#"$2"}" ;;
    *) fail 29 "its .git is not a repository" ;;
  esac
}

# no_other_repository: fails if PATH, which has no .git, lies in the work tree of a repository. A repository of its own
# would hide its files from the outer one.
no_other_repository() {
  above=$dir
  while [ -n "$above" ]; do
    above=${above%/*}
    [ -f "$above/.git" ] || [ -e "$above/.git/HEAD" ] || continue
    case ${above:-/}/ in
      "$root"/*) fail 29 "it is a directory of the repository $above: name that as path" ;;
      *) fail 29 "it is a directory of a repository that begins outside the workspace" ;;
    esac
  done
}

# check_repository: fails for a file of the repository that git would read without end.
check_repository() {
  # shellcheck disable=SC2016 # expanded by the inner shell
  odd=$(find "$gitdir" "$common" '(' -type d -o -type f ! '(' -size +1024k '(' -name HEAD -o -name 'config*' -o -path '*/info/*' -o -path '*/refs/*' ')' ')' ')' -o \
    -exec sh -c 'eval "$1"
      shift
      for file; do if is_odd "$file"; then printf "%s\n" "$file"; fi; done' sh "$is_odd" {} + 2>/dev/null | head -n 1)
  [ -z "$odd" ] || fail 34 "$odd can't be read: it is not an ordinary file of at most 1 MiB"
}

# find_repository: sets gitdir, common, objects and format. Fails with status 1 if PATH has no repository.
find_repository() {
  if [ ! -e .git ] && [ ! -L .git ]; then
    no_other_repository
    return 1
  fi
  kept_inside .git
  gitdir=$real
  if [ -f "$gitdir" ]; then
    pointed "$gitdir" 'gitdir: ' "$dir"
    gitdir=$real
  fi
  common=$gitdir
  if [ -f "$gitdir/commondir" ]; then
    pointed "$gitdir/commondir" '' "$gitdir"
    common=$real
  fi
  kept_inside "$common/objects"
  objects=$real
  for stored in "$gitdir" "$common" "$objects"; do
    case $stored/ in
      "$dir"/.git/*) ;;
      "$dir"/*) fail 29 "the repository is stored among the working files, in $stored" ;;
    esac
  done
  # Git would write through links in the place of these paths.
  set -- "$common/refs" "$common/logs" "$common/packed-refs" "$common/reftable"
  linked=$({
    find "$objects" "$@" -maxdepth 1 -type l -print -quit || true
    find "$common/refs/sandbox" "$common/logs/refs/sandbox" -type l -print -quit || true
  } 2>/dev/null | head -n 1)
  [ -z "$linked" ] || fail 29 "its repository has a symbolic link, $linked"
  check_repository
  # The configuration may include files anywhere, and info/alternates may name any directory.
  status=0 whole=$git_limit
  [ "$git_limit" -lt 10 ] || git_limit=10
  format=$(theirs rev-parse --show-object-format 2>&1) || status=$?
  git_limit=$whole
  [ "$status" -ne 124 ] || fail 34 "git waits for ever in its repository: a file that its configuration includes, or info/alternates names, is a pipe or a device"
  [ "$status" -eq 0 ] || fail 29 "git can't use its repository: $format"
  case $format in
    *sha256) format=sha256 ;;
    *) format=sha1 ;;
  esac
}

# holders PATTERN: prints the names of files that match PATTERN and that some process has open.
holders() { find /proc/[0-9]*/fd -maxdepth 1 -lname "$1" -printf '%l\n' 2>/dev/null | sort -u; }

# update_ref ARGUMENT…: runs update-ref. A lock below refs/sandbox is ours. If a killed call left it, it is removed: git
# holds such a lock for milliseconds. For any other lock, fails with 35 and says which one it is and how old.
update_ref() {
  if said=$(theirs update-ref "$@" 2>&1); then return 0; fi
  lock=$(printf '%s\n' "$said" | sed -n "s/.*Unable to create '\(.*\.lock\)': File exists.*/\1/p" | head -n 1)
  [ -n "$lock" ] || fail 1 "$(printf '%s\n' "$said" | grep -m 1 -e '^fatal: ' -e '^error: ' || echo 'git failed')"
  age=$(($(date +%s) - $(stat -c %Y -- "$lock" 2>/dev/null || date +%s)))
  case $lock in
    "$common"/refs/sandbox/*)
      if [ "$age" -gt 60 ] && rm -f -- "$lock" && theirs update-ref "$@" 2>/dev/null; then return 0; fi
      ;;
  esac
  if [ -n "$(holders "$lock")" ]; then by='a process has it open'; else by='no process has it open'; fi
  fail 35 "a lock of another git is in the way: $lock, $age s old; $by"
}

# clean_temporary TEST…: removes unfinished objects of a killed git, if find's TEST holds and no process has them open.
clean_temporary() {
  [ -n "$(find "$objects" -maxdepth 2 -type f -name 'tmp_*' "$@" -print -quit 2>/dev/null)" ] || return 0
  open=$(holders "$objects/*tmp_*")
  find "$objects" -maxdepth 2 -type f -name 'tmp_*' "$@" 2>/dev/null | while IFS= read -r file; do
    case "
$open
" in *"
$file
"*) ;; *) rm -f -- "$file" ;; esac
  done
}

# begin: makes our git directory. One call works on a work tree at a time.
begin() {
  key=$(printf '%s' "$dir" | sha256sum)
  cache=$store/${key%% *}
  mkdir -p -- "$cache"
  chmod 700 -- "$store"
  exec 9>"$cache/lock"
  flock --wait 30 9 || fail 23 "another git checkpoint is being taken, compared or restored there"
  work=$cache/work
  rm -rf -- "$work"
  trap 'rm -rf -- "$work"' EXIT
  trap "trap '' HUP INT TERM; clean_temporary -newer \"\$work/config\"; exit 143" HUP INT TERM
  mkdir -- "$work" "$work/objects" "$work/refs" "$work/info"
  ln -s -- "$objects" "$work/theirs"
  echo 'ref: refs/heads/none' >"$work/HEAD"
  printf '[core]\nrepositoryFormatVersion = 1\n[extensions]\nobjectFormat = %s\n' "$format" >"$work/config"
  # Files are stored byte for byte.
  echo '* -text -ident -filter !eol !working-tree-encoding' >"$work/info/attributes"
  if [ -f "$common/info/exclude" ] && [ ! -L "$common/info/exclude" ] && ! is_odd "$common/info/exclude"; then cp -- "$common/info/exclude" "$work/info/exclude"; fi
  written=$work/objects
  : >"$work/nested"
}

# checkpoint NAME: sets ref, and commit to its commit. Fails if there is none.
checkpoint() {
  ref=refs/sandbox/snapshots/$1
  commit=$(theirs rev-parse --verify --quiet "$ref^{commit}") || fail 28 "there is no git checkpoint $1"
}

# print_nested MAX: prints the first MAX repositories that were left alone, and an empty record, each with a NUL.
print_nested() {
  head -z -n "$1" -- "$work/nested"
  printf '\0'
}

# give_back: gives what root made since the call began to the owner of the work tree.
give_back() {
  [ "$(stat -c %u -- "$dir")" -ne 0 ] || return 0
  find "$dir" "$common" -user 0 -cnewer "$work/config" -exec chown -h --reference="$dir" -- {} +
}
