# shellcheck shell=sh disable=SC2034,SC2154 # paths.sh sets here; located is for the script that follows
# Follows paths.sh in each script that takes names below the directory it has entered.

# locate NAME: sets located to NAME's path below the current directory, beginning with "./". Follows the links that NAME
# leads through, but not a link that NAME is itself.
locate() {
  above=./
  case $1 in */*) above=./${1%/*} ;; esac
  found=$(cd -P -- "$above" 2>/dev/null && pwd -P && echo x) || absent "$above" "does not exist"
  found=${found%?x}
  inside "$found"
  case $found/ in "${here%?x}"/*) ;; *) fail 11 "is outside" ;; esac
  located=.${found#"${here%?x}"}/${1##*/}
  [ ! -L "$located" ] && [ ! -f "$located" ] && [ ! -d "$located" ] || return 0
  [ -e "$located" ] || fail 10 "does not exist"
  fail 12 "is not a file, directory or link"
}
