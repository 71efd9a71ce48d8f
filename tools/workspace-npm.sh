#!/usr/bin/env bash
# Fetches npm for the workspace image to .local/image/npm.tgz, and checks that it is the pinned version.
set -euo pipefail
# shellcheck source=tools/lib.sh
source "$(dirname "$0")/lib.sh"

is_pinned() { echo "$NPM_SHA256  $1" | sha256sum --check --status; }

fetch() {
  npm pack "npm@$NPM_VERSION" --pack-destination "$1"
  is_pinned "$1/npm-$NPM_VERSION.tgz" || die "npm $NPM_VERSION is not the archive that tools/versions.env pins"
  mkdir -p "$LOCAL/image"
  mv "$1/npm-$NPM_VERSION.tgz" "$LOCAL/image/npm.tgz"
}

if [[ -f $LOCAL/image/npm.tgz ]] && is_pinned "$LOCAL/image/npm.tgz"; then exit; fi
scratch=$(mktemp -d "$LOCAL/npm.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
step "npm $NPM_VERSION for the image" fetch "$scratch"
