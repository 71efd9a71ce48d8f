# The workspace image: what an agent's commands find, and the archive tools that snapshots need. No server in it.
# The tag is pinned in tools/versions.env too; the build fails when the two differ.
ARG BASE_IMAGE=debian:13.2-slim
FROM ${BASE_IMAGE}

LABEL dev.snapshotter="workspace"

# Manuals, documentation and translations would be a third of the image.
RUN printf 'path-exclude=/usr/share/%s/*\n' man doc info locale > /etc/dpkg/dpkg.cfg.d/no-docs

# The tools change seldom, so they are one layer of their own, before anything of ours.
RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        bash ca-certificates coreutils findutils git nodejs python3 ripgrep squashfs-tools tini \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/cache/debconf/*-old /var/lib/dpkg/*-old /var/log/*

# Commands may run as this user. Backup and restore run as root, because only root can give files back their owners:
# so root is the image's user, and the Worker names another one where it wants that.
RUN useradd --uid 1000 --create-home --shell /bin/bash agent

# /workspace is not made here: locally, a directory that is part of the image can't be renamed over.
# A command, not an entrypoint: locally, workerd passes what start() names as arguments of the image's entrypoint.
# tini is process 1 because it reaps what commands leave behind and ends at once when told to.
CMD ["tini", "--", "sleep", "infinity"]
