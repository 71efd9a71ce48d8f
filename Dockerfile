# The workspace image: what an agent's commands find, and the archive tools that snapshots need. No server in it.
# The tag is pinned in tools/versions.env too; the build fails when the two differ.
ARG BASE_IMAGE=debian:13.2-slim

# Debian's npm is hundreds of packages. This is npm's own, which tools/workspace-npm.sh fetches and checks.
FROM ${BASE_IMAGE} AS npm
ADD .local/image/npm.tgz /
RUN rm -r /package/docs /package/man \
    && printf '%s=false\n' update-notifier fund > /package/npmrc

FROM ${BASE_IMAGE}

LABEL dev.snapshotter="workspace"

# Manuals, documentation and translations would be a third of the image.
RUN printf 'path-exclude=/usr/share/%s/*\n' man doc info locale > /etc/dpkg/dpkg.cfg.d/no-docs

# The tools change seldom, so they are one layer of their own, before anything of ours.
RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        bash ca-certificates coreutils curl findutils git jq less make nodejs patch procps python3 python3-pip ripgrep \
        squashfs-tools tini unzip \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/cache/debconf/*-old /var/lib/dpkg/*-old /var/log/*

COPY --from=npm /package /usr/local/lib/node_modules/npm
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm \
    && ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx

# The container is the agent's alone: what Debian manages needs no protection from its `pip install`. A file and not
# a variable, because commands do not get the image's environment.
RUN printf '[global]\nbreak-system-packages = true\nroot-user-action = ignore\ndisable-pip-version-check = true\n' > /etc/pip.conf

# Commands may run as this user. Backup and restore run as root, because only root can give files back their owners:
# so root is the image's user, and the Worker names another one where it wants that.
RUN useradd --uid 1000 --create-home --shell /bin/bash agent

# /workspace is not made here: locally, a directory that is part of the image can't be renamed over.
# A command, not an entrypoint: locally, workerd passes what start() names as arguments of the image's entrypoint.
# tini is process 1 because it reaps what commands leave behind and ends at once when told to.
CMD ["tini", "--", "sleep", "infinity"]
