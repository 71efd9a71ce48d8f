# shellcheck shell=sh
# hashes.sh PATH WITHIN: prints "SHA256  FILE" and a NUL for each of the files below PATH whose paths are on standard
# input, each ended by a NUL. Leaves out files that do not exist.
command -v sha256sum >/dev/null || fail 21 "sha256sum is not installed"
enter_directory
# A name alone could mean standard input.
sed -z 's:^:./:' | { xargs -0 -r sha256sum -z -- 2>/dev/null || true; } | sed -z 's:  \./:  :'
