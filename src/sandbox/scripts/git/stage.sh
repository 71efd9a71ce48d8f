# shellcheck shell=sh disable=SC2016,SC2034,SC2154 # scripts before it set variables, and those after it use some
# Precedes the scripts that look at all files of a work tree, after repository.sh.

# add_files: updates $index to hold the files listed in $work/files. Many new files become packs: a file for each object
# takes several times as long to write, and each snapshot and restore would handle all of them.
add_files() {
  private ls-files -z >"$work/had"
  comm -z -23 -- "$work/had" "$work/files" | private update-index -z --force-remove --stdin
  comm -z -13 -- "$work/had" "$work/files" >"$work/new"
  if [ "$(tr -dc '\0' <"$work/new" | wc -c)" -ge 1000 ]; then
    # For each object, git looks through all that it has written to the same pack.
    rm -f -- "$work"/new-*
    split -t '\0' -l 10000 -- "$work/new" "$work/new-"
    for part in "$work"/new-*; do
      # Files above this size go straight into a pack.
      private -c core.bigFileThreshold=1 update-index -z --add --remove --replace --stdin <"$part" || return
    done
  fi
  private update-index -z --add --remove --replace --stdin <"$work/files"
}

# stage [COMMIT]: sets tree to a tree of the present files: those that no ignore file names, those that the repository
# tracks, and those that COMMIT has. Leaves out nested repositories, and lists them in $work/nested. $work/index becomes
# its index.
stage() {
  check_rules .gitignore .gitattributes .gitmodules
  index=$work/none
  private ls-files -z --others --exclude-standard >"$work/others"
  # Only a repository is listed with a slash at its end.
  sed -nz 's:/$::p' -- "$work/others" >"$work/nested"
  sed -nz '\:/$:!p' -- "$work/others" | sort -z >"$work/found"

  # Tracked files may be ignored too. The repository's index is only listed: it may have entries that say nothing about
  # the files, or that a filter has made.
  theirs ls-files -z --stage >"$work/tracked"
  [ $# -eq 0 ] || private ls-tree -r -z "$1" >>"$work/tracked"
  index=$work/known
  sed -z -e '/^160000 /d' -e 's/^\([0-7]* [0-9a-f]*\) [0-3]\t/\1 0\t/' -- "$work/tracked" | private update-index -z --index-info
  private ls-files -z >"$work/had"
  # These files are gone, or lie behind a symbolic link.
  private diff-files -z --name-only --diff-filter=D >"$work/gone"
  comm -z -23 -- "$work/had" "$work/gone" | comm -z -23 -- - "$work/found" >"$work/more"
  if [ -s "$work/more" ]; then
    # A repository that is ignored is not listed above.
    { cat -- "$work/more" && sed -nz ':above; s:/[^/]*$::p; tabove' -- "$work/more"; } | sort -zu |
      xargs -0 sh -c 'for path; do [ ! -e "$path/.git" ] || printf "%s\0" "$path"; done' sh >>"$work/nested"
    sort -zu -o "$work/nested" -- "$work/nested"
    leave_nested
    private ls-files -z | comm -z -12 -- - "$work/more" |
      xargs -0 sh -c 'for path; do if [ -L "$path" ] || [ -f "$path" ]; then printf "%s\0" "$path"; fi; done' sh >"$work/kept"
    mv -- "$work/kept" "$work/more"
  fi
  sort -zmu -- "$work/found" "$work/more" >"$work/files"

  index=$work/index
  # The index's time, which cp keeps, tells which files may have changed later in the same second.
  [ ! -f "$cache/index" ] || cp -p -- "$cache/index" "$index"
  # Objects that an index of an earlier call names may be gone. A damaged index is no loss.
  if ! { add_files && tree=$(private write-tree); } 2>/dev/null; then
    rm -f -- "$index" "$index.lock"
    add_files
    tree=$(private write-tree)
  fi
}

# leave_nested: removes the files of nested repositories from $index.
leave_nested() {
  [ ! -s "$work/nested" ] ||
    private rm -r -f --cached --quiet --ignore-unmatch --pathspec-from-file="$work/nested" --pathspec-file-nul
}

# target COMMIT: sets target to COMMIT's tree without paths that now lie in nested repositories.
target() {
  target="$1^{tree}"
  [ -s "$work/nested" ] || return 0
  index=$work/target
  private read-tree "$target"
  leave_nested
  target=$(private write-tree)
  index=$work/index
}

# changes FROM TO ARGUMENT…: compares two trees.
changes() { private diff-tree -r --no-renames --no-ext-diff --no-textconv --no-color "$@"; }
