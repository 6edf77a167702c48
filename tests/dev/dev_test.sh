#!/usr/bin/env bash
# Behavior of ./dev that can be tested without installing or building anything.
# usage: dev_test.sh SOURCE_DIRECTORY
set -euo pipefail

dev=$1/dev
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# expect WHAT WANTED GOT
expect() {
  [ "$2" = "$3" ] && return
  printf 'FAILED: %s\n  wanted: %s\n  got:    %s\n' "$1" "$2" "$3" >&2
  exit 1
}

# missing LINE...: what ./dev would install for a list of these lines.
missing() {
  printf '%s\n' '[test]' "$@" >"$work/packages.txt"
  DEV_PACKAGES=$work/packages.txt PATH=$work/bin:/usr/bin:/bin "$dev" setup --dry-run | xargs
}

mkdir "$work/bin"
printf '#!/bin/sh\n' >"$work/bin/tool-from-elsewhere"
chmod +x "$work/bin/tool-from-elsewhere"

expect "an unknown package is missing" "kubexms-no-such-package" \
  "$(missing kubexms-no-such-package)"
expect "an installed package is not missing" "" "$(missing dpkg)"
expect "a package is not needed when its command is there from elsewhere" "" \
  "$(missing 'kubexms-no-such-package tool-from-elsewhere')"
expect "a package is not needed when its path is there from elsewhere" "" \
  "$(missing "kubexms-no-such-package $work/bin")"
expect "a package is needed when neither it nor its command is there" "kubexms-no-such-package" \
  "$(missing 'kubexms-no-such-package kubexms-no-such-command')"
cd "$1"
expect "a folder here is not a command" "kubexms-no-such-package" \
  "$(missing 'kubexms-no-such-package kubexms')"
expect "comments and empty lines are not packages" "" "$(missing '# words' '' dpkg)"

expect "packages of other parts are not needed" "" "$(missing '[other]' kubexms-no-such-package)"

for command in run test build bench lint fmt asan tsan fuzz clean; do
  "$dev" --help | grep "^  $command " >/dev/null || expect "--help lists $command" yes no
done

status=0
"$dev" no-such-command 2>"$work/error" || status=$?
expect "an unknown command is wrong usage" 2 "$status"
grep -q "unknown command 'no-such-command'" "$work/error" || expect "it is named" yes no

status=0
"$dev" fuzz soon 2>/dev/null || status=$?
expect "fuzz wants a number" 1 "$status"

sort "$1/packages.txt" | grep -v '^#' | awk 'NF { print $1 }' | uniq -d >"$work/twice"
expect "no package is listed twice" "" "$(xargs <"$work/twice")"

echo "all passed"
