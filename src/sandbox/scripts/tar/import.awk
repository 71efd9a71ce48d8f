# Reads tar's listing of an archive, and refuses an archive that could write outside the directory it is extracted to.
# Prints "OWNERS BITS ATTRIBUTES ENTRIES FILES DIRECTORIES LINKS BYTES", or "refuse WHY", or "large WHY". The first three
# count entries that root does not own, that have setuid, setgid or sticky bits, and that have extended attributes.
#
# A line is "block N: MODE OWNER SIZE DATE TIME NAME". MODE ends with an asterisk if there are attributes. NAME is quoted as in C, so it has no line break and no unescaped
# quotation mark. Neither "/" nor "." is ever escaped.

function answer(kind, why) {
  print kind " " why
  answered = 1
  exit
}

# Returns the name without redundant parts: "./", "//", and "/" at its end.
function clean(name) {
  gsub(/\/+/, "/", name)
  while (sub(/^\.\//, "", name) || sub(/\/\.$/, "", name) || sub(/\/\.\//, "/", name)) continue
  sub(/\/$/, "", name)
  return name == "." ? "" : name
}

# Refuses a name that leaves the directory, by itself or through a symbolic link that the archive made.
function check(name, what,    part, parts, count, i, above) {
  if (name ~ /^\//) answer("refuse", shown ": " what " is absolute")
  count = split(name, part, "/")
  for (i = 1; i <= count; i++) if (part[i] == "..") answer("refuse", shown ": " what " has a .. in it")
  count = split(clean(name), part, "/")
  above = ""
  for (i = 1; i < count; i++) {
    above = above (i == 1 ? "" : "/") part[i]
    if (above in link) answer("refuse", shown ": " what " lies behind the symbolic link " above)
  }
}

{ sub(/^block [0-9]+: /, "") }
/^\*\* Block of NULs \*\*/ { whole = 1; next }
/^\*\* / { next }
{
  shown = "an entry"
  type = substr($0, 1, 1)
  start = index($0, "\"")
  rest = substr($0, start)
  if (!start || !match(rest, /^"([^"\\]|\\.)*"/)) answer("refuse", "a line that can't be read: " $0)
  name = substr(rest, 2, RLENGTH - 2)
  shown = name
  rest = substr(rest, RLENGTH + 1)
  size = $3
  if (type != "h") {
    if ($2 != "0/0") owners++
    if ($1 ~ /[sStT]/) bits++
    if ($1 ~ /\*$/) attributes++
  }
  if (++entries > max_entries) answer("large", "has more than " max_entries " entries")
  if (type !~ /^[-dlh]$/) answer("refuse", shown ": is not a file, directory or link (type " type ")")
  check(name, "its name")
  name = clean(name)
  if (name == "" && type != "d") answer("refuse", shown ": would replace the directory itself")
  if (type == "d") {
    if (name in link) answer("refuse", shown ": its name is that of a symbolic link")
    directories++
  } else if (type == "l") {
    link[name] = 1
    links++
  } else if (type == "h") {
    if (!match(rest, /^ link to "([^"\\]|\\.)*"$/)) answer("refuse", shown ": a line that can't be read")
    target = substr(rest, 11, RLENGTH - 11)
    check(target, "what it is a link to")
    if (clean(target) in link) link[name] = 1
    files++
  } else {
    files++
    bytes += size
    if (bytes > max_bytes) answer("large", "holds more than " max_bytes " bytes")
  }
}
END {
  if (answered) exit
  if (!whole) print "refuse it has no end marker"
  else printf "%d %d %d %d %d %d %d %.0f\n", owners, bits, attributes, entries, files, directories, links, bytes
}
