# The workspace image: programs for an agent's commands, and the archive tools for snapshots. It has no server.
# tools/versions.env pins the tag too; the build fails if the two differ.
ARG BASE_IMAGE=debian:13.2-slim

# Debian's npm is hundreds of packages. We use npm's own archive, which tools/workspace-npm.sh fetches and checks.
FROM ${BASE_IMAGE} AS npm
ADD .local/image/npm.tgz /
RUN rm -r /package/docs /package/man \
    && printf '%s=false\n' update-notifier fund > /package/npmrc

FROM ${BASE_IMAGE}

LABEL dev.snapshotter="workspace"

# Manuals, documentation and translations would be a third of the image.
RUN printf 'path-exclude=/usr/share/%s/*\n' man doc info locale > /etc/dpkg/dpkg.cfg.d/no-docs

# The tools change seldom, so they have their own layer, before anything of ours.
RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        bash ca-certificates coreutils curl findutils git jq less make nodejs patch procps python3 python3-pip ripgrep \
        squashfs-tools tini unzip zstd \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/cache/debconf/*-old /var/lib/dpkg/*-old /var/log/*

COPY --from=npm /package /usr/local/lib/node_modules/npm
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm \
    && ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx

# The container belongs to the agent alone, so `pip install` may change what Debian manages. This is a file and not a
# variable, because commands do not get the image's environment.
RUN printf '[global]\nbreak-system-packages = true\nroot-user-action = ignore\ndisable-pip-version-check = true\n' > /etc/pip.conf

# Commands may run as this user. Backup and restore run as root, because only root can restore the owners of files. So
# root is the image's user, and the Worker names another user if a command needs one.
RUN useradd --uid 1000 --create-home --shell /bin/bash agent

# We do not make /workspace here: locally, a directory from the image cannot be renamed over. This is a command and not
# an entrypoint: locally, workerd passes the command of start() as arguments to the image's entrypoint. tini is process
# 1: it reaps orphaned processes, and ends at once on SIGTERM.
CMD ["tini", "--", "sleep", "infinity"]
