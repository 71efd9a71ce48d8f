# shellcheck shell=sh disable=SC2034 # the scripts that follow read ticks
# uptime: sets ticks to the uptime in hundredths of a second, the unit of /proc/uptime. Its decimals may begin with 0.
# Prints nothing, because a caller's $(…) would take a process.
uptime() {
  read -r now _ </proc/uptime
  ticks=$((${now%.*} * 100 + 1${now#*.} - 100))
}
