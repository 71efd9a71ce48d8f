# shellcheck shell=sh
# listening.sh PORT TENTHS: waits until a server listens on PORT, for at most TENTHS of a second. Prints "all", "loopback"
# if only programs in the container reach it, or "none".
set -u
port=$(printf '%04X' "$1") left=$2

# Prints as above. A line of the kernel's tables is: number, address:port, peer, state, …; 0A is listening.
look() {
  found=none
  for table in /proc/net/tcp /proc/net/tcp6; do
    [ -r "$table" ] || continue
    while read -r _ address _ state _; do
      case $state:$address in
        0A:??????7F:"$port" | 0A:00000000000000000000000001000000:"$port" | 0A:0000000000000000FFFF0000??????7F:"$port")
          [ "$found" = all ] || found=loopback
          ;;
        0A:*:"$port") found=all ;;
      esac
    done <"$table"
  done
}

look
while [ "$found" = none ] && [ "$left" -gt 0 ]; do
  left=$((left - 1))
  sleep 0.1
  look
done
echo "$found"
