#!/usr/bin/env bash
# usage: install_test.sh BUILD_DIRECTORY EXAMPLES_DIRECTORY COMPILER
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

expect "headers of tests are not installed" "" "$(find "$work/prefix" -name '*_test.h')"

# Without the package files of gRPC and RocksDB, as on a machine that does not have them.
without=(--no-warn-unused-cli -DCMAKE_DISABLE_FIND_PACKAGE_RocksDB=ON -DCMAKE_DISABLE_FIND_PACKAGE_Protobuf=ON)
for example in manifest widget motd; do
  flags=()
  [ "$example" = motd ] && flags=("${without[@]}")
  cmake -G Ninja -S "$2/$example" -B "$work/$example" -DCMAKE_PREFIX_PATH="$work/prefix" \
    -DCMAKE_CXX_COMPILER="$3" --log-level=WARNING "${flags[@]}"
  cmake --build "$work/$example"
done

expect "the manifest is printed as canonical JSON" '{"kind":"Pod","metadata":{"name":"web"}}' \
  "$(printf 'metadata: {name: web}\nkind: Pod\n' | "$work/manifest/manifest")"

status=0
error=$(printf 'kind: Pod\nkind: Service\n' | "$work/manifest/manifest" 2>&1) || status=$?
expect "a duplicate key is an error" 1 "$status"
expect "the error has the line" "line 2" "$(grep -o 'line 2' <<<"$error")"

expect "a kind of one's own has defaults" "a red widget of size 3" \
  "$(printf 'metadata: {name: w}\nspec: {color: red}\n' | "$work/widget/widget" | head -n 1)"
expect "a kind of one's own has a definition" "  name: widgets.example.io" \
  "$("$work/widget/widget" crd | grep 'name: widgets')"
status=0
error=$(printf 'metadata: {name: w}\nspec: {color: green, size: 11}\n' |
  "$work/widget/widget" 2>&1) || status=$?
expect "an invalid one is an error" 1 "$status"
expect "every error is reported" 'error: Widget.example.io "w" is invalid: [spec.color: Unsupported'\
' value: "green": supported values: "red", "blue", spec.size: Invalid value: 11: spec.size in body'\
' should be less than or equal to 10]' "$error"

motd=$work/motd/motd
message=$work/message
expect "a plan shows the file" "write $message/motd" \
  "$("$motd" plan "$message" | grep -o "write $message/motd" | head -n 1)"
expect "a plan changes nothing" no "$([ -e "$message/motd" ] && echo yes || echo no)"
expect "a run changes it" "1 changed, 0 unchanged" "$("$motd" apply "$message")"
expect "the message is there" "Welcome to this-machine." "$(cat "$message/motd")"
expect "a second run changes nothing" "0 changed, 1 unchanged" "$("$motd" apply "$message")"
"$motd" rollback "$message" >/dev/null
expect "a rollback removes it" no "$([ -e "$message/motd" ] && echo yes || echo no)"
status=0
error=$(cmake -S "$2/motd" -B "$work/unknown" -DCMAKE_PREFIX_PATH="$work/prefix" \
  -DCMAKE_DISABLE_FIND_PACKAGE_OpenSSL=ON 2>&1) || status=$?
expect "a component whose packages are missing is not found" 1 "$status"
echo "all passed"
