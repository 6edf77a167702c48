#!/usr/bin/env bash
# docs/controllers.md as its reader meets it: the code is that of examples/hello, the commands work
# and print what the guide says, and every setting that it lists is one.
# usage: guide_test.sh KUBEXMS BUILD_DIRECTORY COMPILER SOURCE_DIRECTORY
source "$(dirname "$0")/../e2e/harness.sh" "$1"
guide=$4/docs/controllers.md

# blocks LANGUAGE: the text of the first chapter's blocks in that language; an empty line between.
blocks() {
  awk -v fence="\`\`\`$1" '
    /^## / { chapter = $0 }
    chapter == "## Write your first controller" && $0 == fence { inside = 1; next }
    inside && $0 == "```" { inside = 0; print ""; next }
    inside' "$guide"
}

# --- the files
mkdir "$work/project"
cd "$work/project"
blocks cmake | sed '$d' >CMakeLists.txt
expect "CMakeLists.txt is the example's" "$(cat "$4/examples/hello/CMakeLists.txt")" \
  "$(cat CMakeLists.txt)"
blocks cpp | sed '$d' >main.cc
expect "the code is the example's" "$(sed -n '/^#include/,$p' "$4/examples/hello/main.cc")" \
  "$(cat main.cc)"

# --- the commands, in one shell
cmake --install "$2" --prefix "$work/prefix" >/dev/null
PATH=$work/prefix/bin:$PATH
export CMAKE_PREFIX_PATH=$work/prefix CXX=$3
unset KUBECONFIG
printf 'set -euo pipefail\ntrap "kill %%1 %%2 2>/dev/null || true" EXIT\n' >commands
blocks bash >>commands
timeout 240 bash -m commands >output 2>errors || failed "the commands work" success "$(cat errors)"
expect "the greeting is what the guide shows" "$(blocks text | sed '/^$/d')" \
  "$(grep -o 'Hello, world!' output)"

# --- the settings
settings=$(sed -n '/^## Settings/,/^## Run several replicas/ s/^| `\([a-zA-Z.]*\)` | .*/\1/p' "$guide" |
  grep -v '^controllers$')
[ "$(wc -l <<<"$settings")" -ge 20 ] || failed "the settings are found" "20 or more" "$settings"
for setting in $settings; do
  output=$(build/hello --kubeconfig "$work/none" --set "$setting={}" 2>&1 || true)
  [[ $output != *"unknown field"* ]] || failed "$setting is a setting" "another error" "$output"
done
echo "all passed"
