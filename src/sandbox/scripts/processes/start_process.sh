# shellcheck shell=sh disable=SC2154 # count_processes sets running, others and oldest; processes.sh sets count_ooms
# start_process.sh ALL NAME SHOWN MOST LOG_MOST LIMIT CWD KIND COMMAND…: starts a command in the background, and prints
# a line of tell. The command ends by itself, by stop_process.sh, or after LIMIT seconds, if LIMIT is not empty. Its
# output goes to a log. If the log exceeds LOG_MOST bytes, its older half is dropped, even after the command's end while
# something that it started goes on.
#
# ALL is the directory for all processes. SHOWN is what to show of the command. At most MOST processes run, and as many
# that have ended are remembered. KIND is as for exec.sh. Exit status: 10 CWD is no directory that can be entered; 14 a
# process of this name, or something that it started, runs; 23 MOST processes run.
set -u
all=$1 name=$2 shown=$3 most=$4 log_most=$5 limit=$6 cwd=$7 kind=$8
shift 8
cd -- "$cwd" 2>/dev/null || { echo "there is no directory $cwd that can be entered" >&2; exit 10; }
[ -d "$all" ] || mkdir -m 700 -- "$all"
exec 9>"$all/.lock"
flock 9
dir=$all/$name
if runs "$dir"; then echo "process $name runs already" >&2; exit 14; fi
if leads "$dir"; then echo "what process $name started still runs" >&2; exit 14; fi
count_processes "$all" "$dir"
[ "$running" -lt "$most" ] || { echo "$running processes run" >&2; exit 23; }
[ "$others" -lt "$most" ] || rm -rf -- "$oldest"
rm -rf -- "$dir"
mkdir -m 700 -- "$dir"
printf '%s\n' "$shown" >"$dir/command"
: >"$dir/log"
date +%s%3N >"$dir/began"
if [ "$kind" = shell ]; then
  if command -v bash >/dev/null; then set -- bash -c "$1"; else set -- sh -c "$1"; fi
fi

# A signal to the whole group must not end the supervisor before it knows the status. The command gets the signal's
# default effect.
# shellcheck disable=SC2016 # expanded by the supervisor
supervise='
  dir=$1 log_most=$2 limit=$3 count_ooms=$4
  shift 4
  eval "$count_ooms"
  ooms_before=$ooms
  trap : TERM INT HUP
  "$@" >>"$dir/log" 2>&1 &
  child=$!
  cd /
  stat=$(cat "/proc/$$/stat")
  rest=${stat##*) }
  started=$(echo "$rest" | cut -d " " -f 20)
  echo "$$ $started" >"$dir/leader.new"
  mv -- "$dir/leader.new" "$dir/leader"
  # others: whether something that the command started goes on. Helpers of the supervisor are its children or
  # grandchildren.
  others() {
    for of in /proc/[0-9]*/stat; do
      read -r line 2>/dev/null <"$of" || continue
      set -- ${line##*) }
      [ "${3:-}" = "$$" ] && [ "$1" != Z ] && [ "${line%% *}" != "$$" ] || continue
      case " $$ $trimmer ${timer:-} " in *" $2 "*) ;; *) return 0 ;; esac
    done
    [ -n "$(find /proc/[0-9]*/fd -maxdepth 1 -lname "$dir/log" -print -quit 2>/dev/null)" ]
  }
  while sleep 2; do
    size=$(stat -c %s -- "$dir/log")
    [ "$size" -gt "$log_most" ] || continue
    (
      flock 8
      dropped=0
      [ ! -e "$dir/dropped" ] || read -r dropped <"$dir/dropped"
      tail -c "$((log_most / 2))" -- "$dir/log" >"$dir/log.new"
      # Output that the command prints right now may be lost. The command goes on writing to the same file.
      kept=$(stat -c %s -- "$dir/log.new")
      : >"$dir/log"
      cat -- "$dir/log.new" >>"$dir/log"
      echo "$((dropped + size - kept))" >"$dir/dropped"
      rm -f -- "$dir/log.new"
    ) 8>"$dir/.lock"
  done &
  trimmer=$!
  if [ -n "$limit" ]; then
    (
      trap "" TERM
      ends=$(($(date +%s) + limit))
      until [ "$(date +%s)" -ge "$ends" ]; do sleep 1; done
      kill -s TERM -- "-$$"
      sleep 5
      kill -s KILL -- "-$$"
    ) &
    timer=$!
  fi
  while :; do
    wait "$child"
    status=$?
    kill -s 0 "$child" 2>/dev/null || break
  done
  if others; then : >"$dir/lingers"; fi
  cause=
  if [ "$status" -eq 137 ]; then
    eval "$count_ooms"
    [ "$ooms" = "$ooms_before" ] || cause=" memory"
  fi
  echo "$status $(date +%s%3N)$cause" >"$dir/status.new"
  mv -- "$dir/status.new" "$dir/status"
  while [ -e "$dir/lingers" ] && others; do sleep 1; done
  kill -s KILL "$trimmer" ${timer:+"$timer"}
'
setsid sh -c "$supervise" sh "$dir" "$log_most" "$limit" "$count_ooms" "$@" </dev/null >/dev/null 2>&1 9>&- &
tries=0
until [ -e "$dir/leader" ] || [ "$tries" -ge 100 ]; do
  tries=$((tries + 1))
  sleep 0.05
done
tell "$dir"
