#!/usr/bin/env bash
# Tests on upstream's programs are there where these are, and nowhere pass without them.
# usage: registration_test.sh BUILD_DIRECTORY
set -euo pipefail

# failed WHAT GOT
failed() {
  printf 'FAILED: %s\n%s\n' "$1" "$2" >&2
  exit 1
}
# refuses WHAT TEXT COMMAND...
refuses() {
  local output
  output=$("${@:3}" 2>&1) && failed "$1: it fails" "$output"
  [[ $output == *"$2"* ]] || failed "$1" "$output"
}

# tests PATTERN [FLAG...]
tests() { ctest --test-dir "$build" --no-tests=error --output-on-failure -R "$@"; }
build=$1
unset KUBEXMS_KUBERNETES_BIN
refuses "without the variable there are none" "No tests were found" \
  tests '^upstream'
export KUBEXMS_KUBERNETES_BIN=/nowhere
listed=$(tests '^upstream' --show-only)
for name in transcripts kinds platform controller examples manager; do
  [[ $listed == *" upstream.$name"$'\n'* ]] || failed "upstream.$name is a test" "$listed"
done
refuses "programs that are missing are named" "KUBEXMS_KUBERNETES_BIN with etcd in it" \
  tests '^upstream.kinds$'
echo "all passed"
