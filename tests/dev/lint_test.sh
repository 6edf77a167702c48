#!/usr/bin/env bash
# What `./dev lint` complains about, on units of a few lines.
# usage: lint_test.sh SOURCE_DIRECTORY
set -euo pipefail

root=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$root/.clang-tidy" "$work/"
mkdir "$work/kubexms"
cd "$work/kubexms"

failed() {
  printf 'FAILED: %s\n%s\n' "$1" "$(cat findings)" >&2
  exit 1
}

# lint [FLAG...]: reads unit.cc, which is given on the standard input.
lint() {
  cat >unit.cc
  rm -f unit.o
  "$root/cmake/lint_unit.sh" -I"$root" -std=c++20 -Wall -Wthread-safety "$@" \
    -MD -MT unit.o -MF unit.o.d -o unit.o -c unit.cc >findings 2>&1
}

# finds WHAT [FLAG...]: it is an error, and the error names WHAT.
finds() {
  if lint "${@:2}"; then failed "lint does not find $1"; fi
  grep -q "\[$1" findings || failed "lint does not name $1"
  [ ! -e unit.o ] || failed "there is an object although there is $1"
}

echo 'inline int Zero() { return 0; }' >header.h
lint <<'TEXT' || failed "lint complains about what is right"
#include "header.h"
int One() { return Zero() + 1; }
TEXT
[ -s unit.o ] || failed "a unit that is right has an object"
grep -q header.h unit.o.d || failed "the included files are known"
[ ! -s findings ] || failed "nothing is said about a unit that is right"

finds clang-diagnostic-error <<<'int One() { return one; }'
finds clang-diagnostic-unused-variable <<<'void Nothing() { int unused = 0; }'
finds readability-identifier-naming <<<'int badName() { return 0; }'
finds clang-analyzer-core.NullDereference <<<'int Get(int* p) { return p == nullptr ? *p : 0; }'
finds clang-diagnostic-thread-safety-analysis <<'TEXT'
struct __attribute__((capability("mutex"))) Mutex {};
struct Guarded {
  Mutex mutex;
  int value __attribute__((guarded_by(mutex)));
};
int Get(const Guarded& guarded) { return guarded.value; }
TEXT

echo 'inline int badName() { return 0; }' >header.h
finds readability-identifier-naming <<<'#include "header.h"'

lint -w <<<'int badName() { return 0; }' || failed "lint complains about generated units"

echo "all passed"
