# Shared by the scripts of this folder: a server of their own on a free port, and the words in which
# they say what they expect. The first line of a script: source harness.sh PATH_OF_KUBEXMS [MODE]
# shellcheck shell=bash
set -euo pipefail

kubexms=$1 mode=${2:-server}
work=$(mktemp -d)
server='' port=0 manager='' managers=() helpers=()
ours=yes  # the server is kubexms; empty: it is upstream's
export HOME=$work KUBECONFIG=$work/kubeconfig

finish() {
  local status=$?
  local process
  for process in "${managers[@]}"; do
    { kill -KILL "$process" && wait "$process"; } 2>/dev/null || true
  done
  [ -z "$server" ] || stop_server KILL
  for process in "${helpers[@]}"; do
    { kill -KILL "$process" && wait "$process"; } 2>/dev/null || true
  done
  [ $status = 0 ] || tail -n 20 "$work"/server.log "$work"/manager*.log >&2 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT
trap 'printf "FAILED: line %s: %s\n" "$LINENO" "$BASH_COMMAND" >&2' ERR

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

# within SECONDS WHAT COMMAND...: it succeeds in that time; tried again and again.
within() {
  local deadline=$((SECONDS + $1))
  until "${@:3}" >/dev/null 2>&1; do
    [ $SECONDS -lt $deadline ] || failed "$2" "success within $1 s" "$("${@:3}" 2>&1 || true)"
    sleep 0.05
  done
}

# eventually WHAT COMMAND...: it succeeds within 30 seconds.
eventually() { within 30 "$@"; }

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

# manager_answers PATH LOG: what the manager whose log this is answers.
manager_answers() {
  local address
  address=$(sed -n 's/.*serving health and metrics address=//p' "$work/$2" | tail -n 1)
  curl --silent --show-error --fail "http://$address$1"
}

manager_is_ready() {
  kill -0 "$manager" || failed "the manager starts" "a running process" "$(cat "$work/$1")"
  manager_answers /readyz "$1"
}

# start_manager [FLAG...]: `kubexms manager` for a server of start_control_plane, as the user that
# kube-controller-manager is. Returns when it is ready; its process is then in $manager, and its log
# in manager0.log, manager1.log …
start_manager() {
  local log=manager${#managers[@]}.log
  cat >"$work/manager.kubeconfig" <<YAML
apiVersion: v1
kind: Config
current-context: it
contexts: [{name: it, context: {cluster: it, user: it}}]
clusters:
- {name: it, cluster: {server: "https://127.0.0.1:$port", certificate-authority: data/pki/ca.crt}}
users: [{name: it, user: {token: $manager_token}}]
YAML
  "$kubexms" manager --kubeconfig "$work/manager.kubeconfig" --bind 127.0.0.1:0 "$@" \
    2>"$work/$log" &
  manager=$!
  managers+=("$manager")
  eventually "the manager is ready" manager_is_ready "$log"
}

# start_control_plane [FLAG...]: a server with the built-in controllers: in its process in the mode
# "server", by a manager over HTTPS in the mode "manager". Flags are those of the server.
start_control_plane() {
  if [ "$mode" = server ]; then
    start_server "$@"
    return
  fi
  local flag server_flags=() manager_flags=()
  for flag in "$@"; do
    case $flag in
      --controllers=*) manager_flags+=("$flag") ;;
      --node-monitor-grace-period=*) server_flags+=("$flag") manager_flags+=("$flag") ;;
      *) server_flags+=("$flag") ;;
    esac
  done
  manager_token=$(mktemp --dry-run XXXXXXXXXXXXXXXXXXXX)
  echo "$manager_token,system:kube-controller-manager,manager" >"$work/tokens"
  start_server --controllers=none --token-file="$work/tokens" "${server_flags[@]}"
  kubectl create clusterrolebinding manager-schedules --clusterrole=system:kube-scheduler \
    --user=system:kube-controller-manager >/dev/null
  start_manager "${manager_flags[@]}"
}

# kubectl_has MINOR: whether kubectl is of version 1.MINOR or later.
kubectl_has() {
  local minor
  minor=$(kubectl version --client --output=json | sed -n 's/.*"minor": "\([0-9]*\).*/\1/p')
  [ "$minor" -ge "$1" ]
}

# kubeconfig_of NAMESPACE ACCOUNT: prints one with which a program is that service account.
kubeconfig_of() {
  local token config=$work/$1.$2.kubeconfig
  token=$(kubectl create -f - --raw "/api/v1/namespaces/$1/serviceaccounts/$2/token" <<<'{}' |
    sed -n 's/.*"token":"\([^"]*\)".*/\1/p')
  kubectl config view --raw --minify --output json | sed 's|"users": \[|"unused": [|' >"$config"
  kubectl --kubeconfig "$config" config set-credentials account --token "$token" >/dev/null
  kubectl --kubeconfig "$config" config set-context --current --user account >/dev/null
  cat "$config"
}

# understood WHAT COMMAND...: Prometheus' own tool can read what it prints.
understood() {
  "${@:2}" >"$work/metrics"
  shows "$1" "" promtool check metrics <"$work/metrics"
}

if [ "${KUBEXMS_TEST_SERVER:-}" = upstream ]; then
  source "$(dirname "${BASH_SOURCE[0]}")/../upstream/control_plane.sh"
fi
