#!/usr/bin/env bash
# usage: install_test.sh BUILD_DIRECTORY EXAMPLE_DIRECTORY COMPILER
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# expect WHAT WANTED GOT
expect() {
  [ "$2" = "$3" ] && return
  printf 'FAILED: %s\n  wanted: %s\n  got:    %s\n' "$1" "$2" "$3" >&2
  exit 1
}

cmake --install "$1" --prefix "$work/prefix" >/dev/null
"$work/prefix/bin/kubexms" version

cmake -G Ninja -S "$2" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" \
  -DCMAKE_CXX_COMPILER="$3" --log-level=WARNING
cmake --build "$work/build"

expect "the example prints canonical JSON" '{"kind":"Pod","metadata":{"name":"web"}}' \
  "$(printf 'metadata: {name: web}\nkind: Pod\n' | "$work/build/manifest")"

status=0
error=$(printf 'kind: Pod\nkind: Service\n' | "$work/build/manifest" 2>&1) || status=$?
expect "the example fails on a duplicate key" 1 "$status"
expect "the error has the line" "line 2" "$(grep -o 'line 2' <<<"$error")"
echo "all passed"
