#!/usr/bin/env bash
# Provides both images in the engine at DOCKER_HOST, and prints their names as shell assignments.
#
# They come from an image registry, if one answers. Otherwise we make the base image from Debian's packages and replace
# the sidecar by tools/egress-sidecar. A tag is a hash of the content, so clones do not disturb each other.
set -euo pipefail
# shellcheck source=tools/lib.sh
source "$(dirname "$0")/lib.sh"

main() {
  build_args=()
  # Our own engine (tools/with-engine) runs build steps in the machine's network.
  if [[ ${1:-} == --host-network ]]; then build_args=(--network host); fi
  if ! docker buildx version >/dev/null 2>&1; then export DOCKER_BUILDKIT=0; fi

  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  exec 5>"$CACHE/images.lock"
  lock 5 "another build of the images"
  local workspace sidecar
  workspace=snapshotter-workspace:$(hash_of "$ROOT/Dockerfile" <(echo "$NPM_SHA256"))
  has "$workspace" || build_workspace "$workspace"
  sidecar=snapshotter-sidecar:$(hash_of "$ROOT"/tools/egress-sidecar/{Dockerfile,Cargo.toml,Cargo.lock,src/*.rs})
  if has "$SIDECAR_IMAGE"; then
    sidecar=$SIDECAR_IMAGE
  elif ! has "$sidecar"; then
    if pull "$SIDECAR_IMAGE"; then sidecar=$SIDECAR_IMAGE; else
      local base dated
      find_base
      step "sidecar image" build_sidecar "$sidecar" "$base"
    fi
  fi
  printf 'export WORKSPACE_IMAGE=%q SIDECAR_IMAGE=%q\n' "$workspace" "$sidecar"
}

has() { docker image inspect "$1" >/dev/null 2>&1; }
pull() { docker pull --quiet "$1" >"$LOCAL/log/pull.log" 2>&1; }

# Sets `base` to the base image, on which both images are built, and `dated` to the moment of the archive that packages
# for it come from: those of a base image from packages are of now.
find_base() {
  base=$BASE_IMAGE dated=$DEBIAN_SNAPSHOT
  if ! has "$base" && ! pull "$base"; then
    base=snapshotter-base:$BASE_SUITE dated=
    has "$base" || make_base "$base"
  fi
}

build_workspace() {
  local base dated
  "$ROOT/tools/workspace-npm.sh"
  find_base
  step "workspace image" docker build "${build_args[@]}" --build-arg "BASE_IMAGE=$base" --build-arg "DEBIAN_SNAPSHOT=$dated" \
    --tag "$1" "$ROOT"
}

make_base() {
  [[ -f /etc/debian_version && $(id -u) == 0 ]] ||
    die "no image registry answers; pull $BASE_IMAGE into Docker, or run this as root on Debian or Ubuntu"
  on_host type -P mmdebstrap >/dev/null || step "mmdebstrap" "$ROOT/tools/apt-install.sh" mmdebstrap
  step "base image from Debian packages" import_base "$1"
}

# Goes through a file: after a broken pipe, `docker import` would accept and tag half an image. Closes fd 5: with many
# open files mmdebstrap passes dash a descriptor of two digits, which dash cannot parse.
import_base() {
  on_host mmdebstrap --variant=minbase --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' "$BASE_SUITE" "$scratch/base.tar" 5>&-
  docker import "$scratch/base.tar" "$1"
}

# build_sidecar TAG BASE: builds a static binary, because the image's C library may be older than this machine's.
build_sidecar() {
  local crate=$ROOT/tools/egress-sidecar target
  target=$(rustc -vV | sed -n 's/^host: //p')
  RUSTFLAGS='-C target-feature=+crt-static' cargo build --locked --manifest-path "$crate/Cargo.toml" \
    --target "$target" --target-dir "$scratch/target"
  mkdir "$scratch/context"
  cp "$scratch/target/$target/debug/egress-sidecar" "$crate/Dockerfile" "$scratch/context/"
  docker build "${build_args[@]}" --build-arg "BASE_IMAGE=$2" --tag "$1" "$scratch/context"
}

main "$@"
