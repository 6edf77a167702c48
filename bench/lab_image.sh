#!/usr/bin/env bash
# Creates the host image for automation_bench: the lab image with Python, which Ansible needs on
# hosts. Does nothing if the image exists.
# usage: lab_image.sh DIRECTORY_OF_LABS
set -euo pipefail
image=$1/images/debian-12 shared=$1/../lab/images/debian-12
command -v systemd-nspawn >/dev/null
[ -e "$1/images/has-python" ] && exit
if [ ! -d "$image" ]; then
  mkdir -p "$1/images"
  if [ ! -d "$shared" ]; then
    "$(dirname "$0")/../build/kubexms" lab up --hosts 1 --dir "$(realpath "$1")" --name image >/dev/null
    "$(dirname "$0")/../build/kubexms" lab down --dir "$(realpath "$1")" --name image
  else
    cp -a --reflink=auto "$shared" "$image.part"
    mv "$image.part" "$image"
  fi
fi
# Downloads the packages that the image lacks on this machine.
archives=$image/var/cache/apt/archives
mkdir -p "$archives/partial"
apt-get -qq -o Dir::State::status="$image/var/lib/dpkg/status" -o Dir::Cache::archives="$archives" \
  -o Debug::NoLocking=1 -o APT::Sandbox::User=root --download-only --no-install-recommends -y \
  install python3 python3-apt >/dev/null
# Some packages must be configured before others are unpacked, so this takes several attempts.
for _ in 1 2 3; do
  chroot "$image" sh -c 'dpkg -iE /var/cache/apt/archives/*.deb; dpkg --configure -a' >/dev/null 2>&1 || true
done
chroot "$image" python3 -c 'import apt'
rm -rf "$archives"
touch "$1/images/has-python"
