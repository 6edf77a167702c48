#!/usr/bin/env bash
# docs/platform.md as its reader meets it: the commands work, and print what the page shows.
# usage: platform_guide_test.sh KUBEXMS SOURCE_DIRECTORY
source "$(dirname "$0")/harness.sh" "$1"
guide=$2/docs/platform.md

# blocks LANGUAGE: of the chapters that are a walk; none for what is shown.
blocks() {
  awk -v fence="\`\`\`$1" '
    /^## / { walk = /^## (From nothing|Devboxes)/ }
    walk && !inside && $0 == fence { inside = 1; next }
    inside && $0 == "```" { inside = 0; next }
    walk && !inside && /^```/ { inside = -1; next }
    inside == 1' "$guide"
}

# What differs from run to run: times, ages, ports, and where something runs.
alike() {
  sed -E -e 's/[0-9]{4}-[0-9-]{5}T[0-9:]{8}Z/TIME/; s/box-[0-9a-f]{6}/box-ID/; s/sim-[0-9]{4}/NODE/' \
    -e 's/ 3[0-9]{4} / PORT /; s/ [0-9]+s$/ AGE/; s/ +/ /g'
}

mkdir -p "$work/clone/build"
ln -s "$kubexms" "$work/clone/build/kubexms"
cp -r "$2/examples" "$work/clone/examples"
cd "$work/clone"
unset KUBECONFIG
{
  printf 'set -euo pipefail\ntrap "kill %%1; wait" EXIT\n'
  blocks bash | sed -E 's/^(.*)  # forbidden$/if \1; then exit 1; fi/'
} >commands
timeout 120 bash -m commands >output 2>errors || failed "the commands work" success "$(cat errors)"
alike <output >printed
while read -r line; do
  grep -qxF -e "$line" printed || failed "what the page shows is printed" "$line" "$(cat printed)"
done < <(blocks '' | alike)
[ "$(blocks '' | wc -l)" -ge 9 ] || failed "the page shows something" "lines" "$(blocks '')"
expect "bob was kept out, and let in" 1 "$(grep -c forbidden errors)"

# --- the tests that it names
names=$(sed -n 's/^| .* | .* | \(`.*`\) |$/\1/p' "$guide" | grep -oE '`[A-Za-z.]+`' | tr -d '`')
[ "$(wc -l <<<"$names")" -ge 20 ] || failed "the tests are found" "20 or more" "$names"
for name in $names; do
  pattern=${name/./, }
  grep -qrE --include '*_test.cc' "^TEST(_F)?\\((.*, )?$pattern\\)" "$2/kubexms" ||
    failed "there is a test" "$name" none
done
echo "all passed"
