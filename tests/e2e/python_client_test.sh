#!/usr/bin/env bash
# The Kubernetes client for Python, as Debian has it.
source "$(dirname "$0")/harness.sh" "$1"
start_server

/usr/bin/python3 "$(dirname "$0")/python_client.py"

echo "all passed"
