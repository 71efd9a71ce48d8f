#!/usr/bin/env bash
# tools/fresh-root.sh [COMMAND]: runs COMMAND (default: make demo && make test) in a fresh clone of HEAD on a minimal
# Debian that has only the packages of tools/host-programs.txt: no caches, its own HOME, its own container engine.
#
# Needs root on Debian or Ubuntu. Uses the host's rustup read-only, and the host's registry settings of cargo, npm, pip
# and apt, so it reaches the same registries as the host. It has its own mounts, processes and network, so it disturbs
# no engine, and all of it ends with this script. FRESH_KEEP=1 keeps the directory.
set -euo pipefail
# shellcheck source=tools/lib.sh
source "$(dirname "$0")/lib.sh"
export PATH=$SNAPSHOTTER_HOST_PATH

RUSTUP=${RUSTUP_HOME:-$HOME/.rustup}
CARGO=${CARGO_HOME:-$HOME/.cargo}
net=snap-$$
# A subnet of four addresses from 10.213.0.0/16.
subnet=10.213.$(($$ / 64 % 256)).$(($$ % 64 * 4))
near=${subnet%.*}.$((${subnet##*.} + 1))
far=${subnet%.*}.$((${subnet##*.} + 2))
root=
child=

main() {
  [[ -f /etc/debian_version && $(id -u) == 0 ]] || die "run this as root on Debian or Ubuntu"
  [[ -d $RUSTUP ]] || die "no rustup at $RUSTUP"
  local packages=()
  type -P mmdebstrap >/dev/null || packages+=(mmdebstrap)
  type -P ip >/dev/null || packages+=(iproute2)
  type -P iptables >/dev/null || packages+=(iptables)
  if ((${#packages[@]})); then step "${packages[*]}" "$ROOT/tools/apt-install.sh" "${packages[@]}"; fi

  trap finish EXIT
  trap 'exit 130' INT TERM HUP
  root=$(mktemp -d "$CACHE/fresh.XXXXXX")
  step "minimal Debian $BASE_SUITE" make_root
  configure_root
  git clone --quiet "$ROOT" "$root/root/snapshotter"
  make_network
  local status=0
  # `ip netns exec` would hide the control groups.
  nsenter --net="/run/netns/$net" unshare --mount --pid --fork --kill-child \
    bash "$ROOT/tools/fresh-root.sh" --inside "$root" "${*:-make demo && make test}" &
  child=$!
  wait "$child" || status=$?
  child=
  say "in the fresh root: status $status"
  return "$status"
}

make_root() {
  local packages
  packages=$(sed -n 's/^+ \([^:]*\):.*/\1/p' "$ROOT/tools/host-programs.txt" | paste -sd,)
  mmdebstrap --variant=minbase --include="$packages" "$BASE_SUITE" "$root/"
}

# Copies the settings for registries and trusted certificates.
configure_root() {
  local file
  mkdir -p "$root/root/.cargo/bin" "$root/root/.rustup" "$root/root/.config"
  for file in config config.toml credentials.toml; do
    if [[ -f $CARGO/$file ]]; then cp "$CARGO/$file" "$root/root/.cargo/"; fi
  done
  if [[ -f $HOME/.npmrc ]]; then cp "$HOME/.npmrc" "$root/root/"; fi
  if [[ -d $HOME/.config/pip ]]; then cp -r "$HOME/.config/pip" "$root/root/.config/"; fi
  for file in /etc/pip.conf /etc/resolv.conf /etc/hosts /etc/ssl/certs/ca-certificates.crt; do
    if [[ -f $file ]]; then cp --dereference "$file" "$root$file"; fi
  done
  cp -r /etc/apt/auth.conf.d /etc/apt/apt.conf.d "$root/etc/apt/"
  export -p | grep -iE '^declare -x (([a-z]+_)?proxy|PIP_|NPM_CONFIG_|CARGO_(HTTP|NET|REGISTR)|RUSTUP_AUTO|SSL_CERT|NODE_EXTRA)' \
    >"$root/root/registries.env" || true
}

# Makes a separate network, because two engines would conflict over the bridge.
make_network() {
  ip netns add "$net"
  ip link add "$net" type veth peer name eth0 netns "$net"
  ip address add "$near/30" dev "$net"
  ip link set "$net" up
  ip -n "$net" address add "$far/30" dev eth0
  ip -n "$net" link set lo up
  ip -n "$net" link set eth0 up
  ip -n "$net" route add default via "$near"
  echo 1 >/proc/sys/net/ipv4/ip_forward
  rules -I
}

# An engine on the host drops forwarded packets of unknown networks.
rules() {
  iptables --wait "$1" FORWARD -i "$net" -j ACCEPT
  iptables --wait "$1" FORWARD -o "$net" -j ACCEPT
  iptables --wait -t nat "$1" POSTROUTING -s "$subnet/30" ! -o "$net" -j MASQUERADE
}

finish() {
  local status=$?
  trap - EXIT
  trap '' INT TERM HUP
  # Everything in the namespaces ends with this process.
  if [[ $child ]]; then kill -KILL "$child" 2>/dev/null || true; fi
  if [[ -e /run/netns/$net ]]; then
    rules -D 2>/dev/null || true
    ip link delete "$net" 2>/dev/null || true
    ip netns delete "$net" || true
  fi
  # The mounts ended with their namespace.
  if [[ $root && ! ${FRESH_KEEP:-} ]]; then rm -rf --one-file-system "$root"; fi
  exit "$status"
}

# Runs in the new namespaces.
inside() {
  local root=$1 command=$2
  mount --make-rprivate /
  mount --bind "$root" "$root"
  mount -t proc proc "$root/proc"
  mount --rbind /sys "$root/sys"
  mount --rbind /dev "$root/dev"
  mount -t tmpfs tmpfs "$root/run"
  mount --bind "$RUSTUP" "$root/root/.rustup"
  mount -o remount,bind,ro "$root/root/.rustup"
  mount --bind "$CARGO/bin" "$root/root/.cargo/bin"
  mount -o remount,bind,ro "$root/root/.cargo/bin"
  cd "$root"
  mkdir -p old
  pivot_root . old
  # shellcheck disable=SC2016 # expanded inside
  exec chroot . /usr/bin/env -i HOME=/root LANG=C.UTF-8 TERM="${TERM:-dumb}" \
    PATH=/root/.cargo/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    bash -c 'umount --lazy /old && rmdir /old && source /root/registries.env && cd /root/snapshotter && eval "$1"' bash "$command"
}

if [[ ${1:-} == --inside ]]; then inside "$2" "$3"; else main "$@"; fi
