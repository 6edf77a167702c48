#!/usr/bin/env bash
# All sources are as clang-format writes them. usage: format_test.sh SOURCE_DIRECTORY
set -euo pipefail

cd "$1"
if ! find . -path ./build -prune -o \( -name '*.h' -o -name '*.cc' \) -print0 |
  xargs -0 clang-format --dry-run --Werror --ferror-limit=1; then
  echo "some files are not formatted; './dev fmt' does it" >&2
  exit 1
fi
