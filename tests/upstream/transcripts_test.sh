#!/usr/bin/env bash
# All transcripts of tests/api are true of upstream's server.
# usage: transcripts_test.sh KUBEXMS API_TRANSCRIPTS FOLDER
source "$(dirname "$0")/../e2e/harness.sh" "$1"
start_server --controllers=none
"$2" --kubeconfig "$KUBECONFIG" "$3"
