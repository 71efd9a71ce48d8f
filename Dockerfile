# The workspace image: programs for an agent's commands, and the archive tools for snapshots. It has no server.
# tools/versions.env pins both too; the build fails if they differ. The digest decides, the tag is for readers.
ARG BASE_IMAGE=debian:13.2-slim@sha256:4bcb9db66237237d03b55b969271728dd3d955eaaa254b9db8a3db94550b1885
# The moment whose state of Debian's archive the packages come from. Empty: as the archive is now.
ARG DEBIAN_SNAPSHOT=20261122T000000Z

# Debian's npm is hundreds of packages. We use npm's own archive, which tools/workspace-npm.sh fetches and checks.
FROM ${BASE_IMAGE} AS npm
ADD .local/image/npm.tgz /
RUN rm -r /package/docs /package/man \
    && printf '%s=false\n' update-notifier fund > /package/npmrc

FROM ${BASE_IMAGE}
ARG DEBIAN_SNAPSHOT

LABEL dev.snapshotter="workspace"

# Manuals, documentation and translations would be a third of the image.
RUN printf 'path-exclude=/usr/share/%s/*\n' man doc info locale > /etc/dpkg/dpkg.cfg.d/no-docs

# The tools change seldom, so they have their own layer, before anything of ours. What sessions install later comes from
# the archive as it is then.
RUN set -e; . /etc/os-release; \
    for archive in "debian/$DEBIAN_SNAPSHOT $VERSION_CODENAME" "debian/$DEBIAN_SNAPSHOT $VERSION_CODENAME-updates" \
        "debian-security/$DEBIAN_SNAPSHOT $VERSION_CODENAME-security"; do \
        echo "deb [check-valid-until=no] http://snapshot.debian.org/archive/$archive main"; \
    done >/tmp/dated.list; \
    dated="${DEBIAN_SNAPSHOT:+-o Dir::Etc::SourceList=/tmp/dated.list -o Dir::Etc::SourceParts=/dev/null}"; \
    apt-get $dated -o APT::Update::Error-Mode=any update \
    && DEBIAN_FRONTEND=noninteractive apt-get $dated install -y --no-install-recommends \
        bash ca-certificates coreutils curl findutils git jq less make nodejs patch procps python3 python3-pip ripgrep \
        squashfs-tools tini unzip zstd \
    && rm -rf /tmp/dated.list /var/lib/apt/lists/* /var/cache/apt/* /var/cache/debconf/*-old /var/lib/dpkg/*-old /var/log/*

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
