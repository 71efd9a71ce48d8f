# shellcheck shell=sh
# uptime: prints the uptime in hundredths of a second, the unit of /proc/uptime. Its decimals may begin with 0.
uptime() {
  read -r now _ </proc/uptime
  echo $((${now%.*} * 100 + 1${now#*.} - 100))
}
