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

for example in manifest widget; do
  cmake -G Ninja -S "$2/$example" -B "$work/$example" -DCMAKE_PREFIX_PATH="$work/prefix" \
    -DCMAKE_CXX_COMPILER="$3" --log-level=WARNING
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
expect "every error is told" 'error: Widget.example.io "w" is invalid: [spec.color: Unsupported'\
' value: "green": supported values: "red", "blue", spec.size: Invalid value: 11: spec.size in body'\
' should be less than or equal to 10]' "$error"
echo "all passed"
