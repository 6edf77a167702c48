# Shared by the scripts of this folder: a server of their own on a free port, and the words in which
# they say what they expect. The first line of a script: source harness.sh PATH_OF_KUBEXMS
# shellcheck shell=bash
set -euo pipefail

kubexms=$1
work=$(mktemp -d)
server='' port=0
export HOME=$work KUBECONFIG=$work/kubeconfig

finish() {
  local status=$?
  [ -z "$server" ] || stop_server KILL
  [ $status = 0 ] || [ ! -s "$work/server.log" ] || tail -n 20 "$work/server.log" >&2
  rm -rf "$work"
}
trap finish EXIT

# failed WHAT WANTED GOT
failed() {
  printf 'FAILED: %s\n  wanted: %s\n  got:    %s\n' "$1" "$2" "$3" >&2
  exit 1
}

# expect WHAT WANTED GOT
expect() { [ "$2" = "$3" ] || failed "$@"; }

# has TEXT PART: PART is in TEXT; for a space in PART, TEXT may have several (it may be a table).
has() { [[ $1 == *"$2"* || $(tr -s ' ' <<<"$1") == *"$2"* ]]; }

# shows WHAT TEXT COMMAND...: it succeeds, and what it prints has TEXT.
shows() {
  local output status=0
  output=$("${@:3}" 2>&1) || status=$?
  [ $status = 0 ] || failed "$1" "exit code 0" "$status: $output"
  has "$output" "$2" || failed "$1" "$2" "$output"
}

# refuses WHAT TEXT COMMAND...: it fails, and what it prints has TEXT.
refuses() {
  local output status=0
  output=$("${@:3}" 2>&1) || status=$?
  [ $status != 0 ] || failed "$1" "another exit code than 0" "$output"
  has "$output" "$2" || failed "$1" "$2" "$output"
}

# eventually WHAT COMMAND...: it succeeds within 30 seconds; tried again and again.
eventually() {
  local deadline=$((SECONDS + 30))
  until "${@:2}" >/dev/null 2>&1; do
    [ $SECONDS -lt $deadline ] || failed "$1" "success within 30 s" "$("${@:2}" 2>&1 || true)"
    sleep 0.05
  done
}

# request PATH [FLAG...]: what the server answers to one who does not say who he is.
request() {
  curl --silent --show-error --cacert "$work/data/pki/ca.crt" "${@:2}" \
    "https://127.0.0.1:$port$1"
}

# as_admin PATH [FLAG...]: what it answers to the administrator.
as_admin() {
  request "$1" --cert "$work/data/pki/admin.crt" --key "$work/data/pki/admin.key" "${@:2}"
}

is_ready() {
  kill -0 "$server" || failed "the server starts" "a running process" "$(cat "$work/server.log")"
  port=$(sed -n 's|.*server: https://127.0.0.1:||p' "$KUBECONFIG")
  request /readyz --fail
}

# start_server [FLAG...]: returns when it is ready. Started again, it has the same port and data.
start_server() {
  "$kubexms" server --data-dir "$work/data" --bind "127.0.0.1:$port" \
    --kubeconfig-out "$KUBECONFIG" "$@" 2>>"$work/server.log" &
  server=$!
  eventually "the server is ready" is_ready
}

# stop_server SIGNAL: its exit code is then in $stopped.
stop_server() {
  kill "-$1" "$server" 2>/dev/null || true
  stopped=0
  { wait "$server" || stopped=$?; } 2>/dev/null
  server=
}

# kubectl_has MINOR: whether kubectl is of version 1.MINOR or later.
kubectl_has() {
  local minor
  minor=$(kubectl version --client --output=json | sed -n 's/.*"minor": "\([0-9]*\).*/\1/p')
  [ "$minor" -ge "$1" ]
}
