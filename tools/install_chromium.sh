#!/bin/sh
# Install Chromium and a font for `make test-browser`, where they are missing: on Debian and Ubuntu, as root.
set -eu
for name in chromium chromium-browser google-chrome; do
    if command -v "$name" >/dev/null; then exit 0; fi
done
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "error: there is no Chromium, and only root can install it, with apt-get" >&2
    echo "Install the package chromium, then call make test-browser" >&2
    exit 1
fi
apt-get -o Acquire::Retries=3 update -qq
DEBIAN_FRONTEND=noninteractive apt-get -o Acquire::Retries=3 install -y -qq --no-install-recommends chromium fonts-dejavu-core >/dev/null
