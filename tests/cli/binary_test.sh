#!/usr/bin/env bash
# Calls the binary as a user and the shells do. usage: binary_test.sh PATH_OF_KUBEXMS
set -euo pipefail

PATH=$(dirname "$1"):$PATH
export PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# expect WHAT WANTED GOT
expect() {
  [ "$2" = "$3" ] && return
  printf 'FAILED: %s\n  wanted: %s\n  got:    %s\n' "$1" "$2" "$3" >&2
  exit 1
}

# status_of COMMAND...: its exit code; its output is in $work/out and $work/err.
status_of() {
  local status=0
  "$@" >"$work/out" 2>"$work/err" || status=$?
  echo $status
}

expect "version exits with 0" 0 "$(status_of kubexms version)"
expect "version is one line" 1 "$(wc -l <"$work/out")"
version=$(awk '{ print $2 }' "$work/out")
expect "-o json is JSON with the version" 1 "$(kubexms version -o json | grep -c "\"version\": \"$version\"")"
expect "-o yaml is YAML with the version" 1 "$(kubexms version -o yaml | grep -c "^version: $version")"

expect "--help exits with 0" 0 "$(status_of kubexms --help)"
grep -q '^  version ' "$work/out" || expect "--help lists the commands" yes no
expect "no command is wrong usage" 2 "$(status_of kubexms)"
expect "an unknown command is wrong usage" 2 "$(status_of kubexms verion)"
grep -q 'did you mean "version"' "$work/err" || expect "it suggests" yes no
expect "a wrong value is wrong usage" 2 "$(status_of kubexms version -o xml)"
expect "a domain that is none is wrong" 1 \
  "$(status_of kubexms server --data-dir "$work/none" --devbox-ssh-gate 'https://gate')"
grep -q -- '--devbox-ssh-gate: "https://gate"' "$work/err" || expect "it names the flag" yes no
expect "a full disk is a failure" 1 "$(status_of bash -c 'kubexms version >/dev/full')"

MALLOC_CONF=stats_print:true kubexms version 2>&1 | grep 'jemalloc statistics' >/dev/null ||
  expect "the allocator is jemalloc" yes no

# Completion, in the real shells.
cat >"$work/complete.bash" <<'SCRIPT'
source <(kubexms completion bash)
try() { COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _kubexms; echo "${COMPREPLY[*]}"; }
try kubexms vers
try kubexms version --output = j
try kubexms completion ''
SCRIPT
expect "bash completes" "version|json|bash zsh fish|" "$(bash "$work/complete.bash" | tr '\n' '|')"

expect "fish completes" "version|--output=json|zsh|" "$(fish --no-config -c '
  kubexms completion fish | source
  for line in "kubexms vers" "kubexms version --output=j" "kubexms completion z"
    complete -C $line
  end' | cut -f1 | tr '\n' '|')"

# zsh has no way to ask for candidates, so that _describe is replaced by one that prints them.
expect "zsh completes" "version:Print the version of this binary|" "$(zsh -f -c '
  compdef() { :; }
  source <(kubexms completion zsh)
  _describe() { print -l -- "${(@P)2}"; }
  words=(kubexms vers) CURRENT=2
  _kubexms' | tr '\n' '|')"

echo "all passed"
