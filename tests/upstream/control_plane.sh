# Replaces the server of ../e2e/harness.sh by upstream's: etcd, kube-apiserver, and unless a script
# wants no controllers kube-controller-manager and kube-scheduler, from KUBEXMS_KUBERNETES_BIN. Files
# are where `kubexms server` has them, so that scripts find them: certificates below data/pki, the
# audit log at data/audit.log. harness.sh sources it when KUBEXMS_TEST_SERVER is "upstream".
# shellcheck shell=bash

for program in etcd kube-apiserver kube-controller-manager kube-scheduler kubectl; do
  [ -x "${KUBEXMS_KUBERNETES_BIN:-}/$program" ] ||
    failed "upstream's programs are at hand" "KUBEXMS_KUBERNETES_BIN with $program in it" \
      "${KUBEXMS_KUBERNETES_BIN:-nothing}"
done
PATH=$KUBEXMS_KUBERNETES_BIN:$PATH
ours='' pki=$work/data/pki etcd_port='' beside=()

# The garbage collector learns of a new kind within half a minute.
eventually() { within 90 "$@"; }

# run_beside NAME COMMAND...: in the background, until this script ends in any way; its log is
# NAME.log, its process is then in $started.
run_beside() {
  setpriv --pdeathsig KILL "${@:2}" >>"$work/$1.log" 2>&1 &
  started=$!
}

# free_port: prints one below those that the kernel gives to clients.
free_port() {
  local candidate
  while :; do
    candidate=$((RANDOM % 20000 + 10000))
    (: <"/dev/tcp/127.0.0.1/$candidate") 2>/dev/null || break
  done
  echo "$candidate"
}

# certificate NAME SUBJECT [EXTENSION...]: signed by the authority.
certificate() {
  local extension extensions=()
  for extension in "${@:3}"; do extensions+=(-addext "$extension"); done
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$pki/$1.key" -subj "$2" \
    "${extensions[@]}" 2>/dev/null |
    openssl x509 -req -CA "$pki/ca.crt" -CAkey "$pki/ca.key" -days 2 -copy_extensions copy \
      -out "$pki/$1.crt" 2>/dev/null
}

make_certificates() {
  mkdir -p "$pki"
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$pki/ca.key" \
    -out "$pki/ca.crt" -subj /CN=kubernetes -days 2 -addext keyUsage=critical,keyCertSign,digitalSignature \
    2>/dev/null
  certificate apiserver /CN=kube-apiserver \
    subjectAltName=IP:127.0.0.1,IP:10.96.0.1,DNS:localhost,DNS:kubernetes.default.svc
  certificate admin /O=system:masters/CN=kubernetes-admin
  certificate controller-manager /CN=system:kube-controller-manager
  certificate scheduler /CN=system:kube-scheduler
  certificate front-proxy-client /CN=front-proxy-client
  openssl ecparam -name prime256v1 -genkey -noout -out "$pki/sa.key"
  openssl ec -in "$pki/sa.key" -pubout -out "$pki/sa.pub" 2>/dev/null
  printf 'apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules: [{level: Metadata}]\n' \
    >"$work/audit-policy.yaml"
}

# write_kubeconfig USER FILE: with that user's certificate.
write_kubeconfig() {
  cat >"$2" <<YAML
apiVersion: v1
kind: Config
current-context: upstream
contexts: [{name: upstream, context: {cluster: upstream, user: upstream}}]
clusters:
- name: upstream
  cluster:
    server: https://127.0.0.1:$port
    certificate-authority-data: $(base64 -w0 "$pki/ca.crt")
users:
- name: upstream
  user:
    client-certificate-data: $(base64 -w0 "$pki/$1.crt")
    client-key-data: $(base64 -w0 "$pki/$1.key")
YAML
}

start_etcd() {
  local peer_port
  etcd_port=$(free_port) peer_port=$(free_port)
  run_beside etcd etcd --data-dir "$work/etcd" --unsafe-no-fsync --log-level warn \
    --listen-client-urls "http://127.0.0.1:$etcd_port" \
    --advertise-client-urls "http://127.0.0.1:$etcd_port" \
    --listen-peer-urls "http://127.0.0.1:$peer_port" \
    --initial-advertise-peer-urls "http://127.0.0.1:$peer_port" \
    --initial-cluster "default=http://127.0.0.1:$peer_port"
  helpers+=("$started")
}

apiserver_is_ready() {
  kill -0 "$server" || failed "kube-apiserver starts" "a running process" "$(tail "$work/server.log")"
  request /readyz --fail
}

# The roles that the server makes, and the first objects of the controllers.
is_set_up() {
  kubectl get namespace default kube-system && kubectl get clusterrole view system:kube-scheduler
}
has_default_account() { kubectl get serviceaccount default --namespace default; }

# start_server [FLAG...]: with the flags of `kubexms server` that scripts give to it. Returns when it
# is ready; started again, it has the same port and data.
start_server() {
  local controllers='*' nodes=0 flags=() manager_flags=() flag
  while [ $# -gt 0 ]; do
    flag=$1
    [[ $flag == --*=* ]] || { flag="$flag=$2" && shift; }
    shift
    case $flag in
      --controllers=*) controllers=${flag#*=} ;;
      --simulate-nodes=*) nodes=${flag#*=} ;;
      --node-monitor-grace-period=*) manager_flags+=("$flag") ;;
      --token-file=*) flags+=("--token-auth-file=${flag#*=}") ;;
      --service-cidr=*) flags+=("--service-cluster-ip-range=${flag#*=}") ;;
      *) failed "kube-apiserver has such a flag" "one that is known here" "$flag" ;;
    esac
  done
  [ -d "$pki" ] || make_certificates
  [ -n "$etcd_port" ] || start_etcd
  [ "$port" != 0 ] || port=$(free_port)
  write_kubeconfig admin "$KUBECONFIG"
  # The address is for documentation: Endpoints must not have a loopback address.
  run_beside server kube-apiserver --etcd-servers="http://127.0.0.1:$etcd_port" \
    --bind-address=127.0.0.1 --secure-port="$port" --advertise-address=192.0.2.1 \
    --tls-cert-file="$pki/apiserver.crt" --tls-private-key-file="$pki/apiserver.key" \
    --client-ca-file="$pki/ca.crt" --requestheader-client-ca-file="$pki/ca.crt" \
    --requestheader-allowed-names=front-proxy-client \
    --requestheader-username-headers=X-Remote-User --requestheader-group-headers=X-Remote-Group \
    --requestheader-extra-headers-prefix=X-Remote-Extra- \
    --proxy-client-cert-file="$pki/front-proxy-client.crt" \
    --proxy-client-key-file="$pki/front-proxy-client.key" \
    --service-account-issuer=https://kubernetes.default.svc.cluster.local \
    --service-account-key-file="$pki/sa.pub" --service-account-signing-key-file="$pki/sa.key" \
    --authorization-mode=Node,RBAC --allow-privileged=true \
    --audit-policy-file="$work/audit-policy.yaml" --audit-log-path="$work/data/audit.log" \
    --service-cluster-ip-range=10.96.0.0/12 "${flags[@]}"
  server=$started
  within 120 "kube-apiserver is ready" apiserver_is_ready
  within 120 "kube-apiserver has its first objects" is_set_up
  [ "$controllers" = none ] || start_controllers "${manager_flags[@]}"
  [ "$nodes" = 0 ] || start_nodes "$nodes"
}

# start_controllers [FLAG...]: upstream's, all of them.
start_controllers() {
  write_kubeconfig controller-manager "$work/controller-manager.kubeconfig"
  write_kubeconfig scheduler "$work/scheduler.kubeconfig"
  run_beside controller-manager kube-controller-manager --secure-port=0 \
    --kubeconfig="$work/controller-manager.kubeconfig" --use-service-account-credentials=true \
    --service-account-private-key-file="$pki/sa.key" --root-ca-file="$pki/ca.crt" \
    --cluster-signing-cert-file="$pki/ca.crt" --cluster-signing-key-file="$pki/ca.key" "$@"
  beside+=("$started")
  run_beside scheduler kube-scheduler --secure-port=0 --kubeconfig="$work/scheduler.kubeconfig" \
    --leader-elect=false
  beside+=("$started")
  within 60 "kube-controller-manager works" has_default_account
}

# start_nodes COUNT: without machines.
start_nodes() {
  run_beside nodes "$(dirname "$kubexms")/tests/upstream/upstream_nodes" "$1"
  beside+=("$started")
}

# stop_server SIGNAL: and what was started with it. The data stays.
stop_server() {
  local process
  for process in "${beside[@]}"; do
    { kill -KILL "$process" && wait "$process"; } 2>/dev/null || true
  done
  beside=()
  kill "-$1" "$server" 2>/dev/null || true
  stopped=0
  { wait "$server" || stopped=$?; } 2>/dev/null
  server=
}
