#!/usr/bin/env bash
# Prints the path of a Chromium or Chrome. On Debian as root, installs one without windows if there is none.
set -euo pipefail
# shellcheck source=tools/lib.sh
source "$(dirname "$0")/lib.sh"

PACKAGE=chromium-headless-shell

find_browser() {
  local name
  # Not Ubuntu's `chromium-browser`, which only installs a snap.
  for name in "$PACKAGE" chrome-headless-shell chromium google-chrome google-chrome-stable; do
    on_host type -P "$name" && return
  done
  return 1
}

main() {
  find_browser && return
  # Ubuntu has no such package.
  if [[ $(id -u) != 0 ]] || ! grep -qs '^ID=debian$' /etc/os-release; then
    die "no browser; install Chromium or Chrome as \`chromium\` or \`google-chrome\` on the PATH (Debian: $PACKAGE)"
  fi
  step "Chromium ($PACKAGE)" "$ROOT/tools/apt-install.sh" "$PACKAGE"
  find_browser
}

main
