#!/usr/bin/env bash
# usage: install_test.sh BUILD_DIRECTORY PROGRAM_DIRECTORY COMPILER
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$1" --prefix "$work/prefix" >/dev/null
"$work/prefix/bin/kubexms" version

cmake -G Ninja -S "$2" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" \
  -DCMAKE_CXX_COMPILER="$3" --log-level=WARNING
cmake --build "$work/build"
got=$("$work/build/program")
wanted='{"kind":"Pod","metadata":{"name":"web"}}'
if [ "$got" != "$wanted" ]; then
  printf 'wanted: %s\ngot:    %s\n' "$wanted" "$got" >&2
  exit 1
fi
