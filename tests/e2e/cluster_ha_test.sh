#!/usr/bin/env bash
# etcd, containerd and load balancers on three real hosts: containers run, and the address before
# etcd is held by one host, whatever happens to it.
# usage: cluster_ha_test.sh PATH_OF_KUBEXMS DIRECTORY_OF_LABS
directory=$2
if [ "$(id -u)" != 0 ] || ! command -v systemd-nspawn >/dev/null || ! command -v debootstrap >/dev/null; then
  echo "SKIPPED: a lab needs root, systemd-nspawn and debootstrap"
  exit 77
fi
set -- "$1"
# shellcheck source=tests/e2e/harness.sh
source "$(dirname "$0")/harness.sh"

name=h$$
lab() { "$kubexms" lab "$1" --dir "$directory" --name "$name" "${@:2}"; }
clean() {
  local status=$?
  [ $status = 0 ] || tail -n 30 "$work"/*.log >&2 || true
  lab down >/dev/null 2>&1 || true
  rm -rf "$work"
  exit $status
}
trap clean EXIT

mkdir -p "$directory"
lab up --hosts 3 >"$work/hosts" 2>"$work/up.log"
address=$(sed -n 's/^  address: \(.*\)\.11$/\1.100/p' "$work/hosts")
{
  printf 'apiVersion: kubexms.io/v1alpha1\nkind: Cluster\nmetadata: {name: lab}\nspec:\n'
  sed 's/^/  /' "$work/hosts"
  printf '  roleGroups:\n'
  for group in etcd controlPlane loadBalancer; do printf '    %s: [node1, node2, node3]\n' $group; done
  # What stands behind the load balancers is etcd.
  printf '  controlPlaneEndpoint: {address: %s, port: 12379, backendPort: 2379}\n' "$address"
  printf '  containerRuntime:\n    registries:\n'
  printf '    - {name: registry.lab, username: puller, password: "env:REGISTRY_PASSWORD"}\n'
  printf '  etcd: {binariesDir: %s}\n' "$(dirname "$(command -v etcd)")"
  # The kernel is the machine's, and not this test's to change.
  printf '  system: {configureKernel: false}\n'
} >"$work/cluster.yaml"
export REGISTRY_PASSWORD=not-to-be-seen

"$kubexms" artifact build -f "$work/cluster.yaml" --cache "$directory/artifacts" \
  -o "$work/lab.artifact" 2>"$work/build.log" || {
  if grep -qE 'Temporary failure resolving|Could not connect|Failed to fetch' "$work/build.log"; then
    echo "SKIPPED: Debian's packages cannot be fetched from here"
    exit 77
  fi
  failed "an artifact is built" "success" "$(cat "$work/build.log")"
}

# cluster COMMAND...
cluster() { "$kubexms" "$@" -f "$work/cluster.yaml" --state-dir "$work/state"; }
make_cluster() { cluster create cluster --artifact "$work/lab.artifact"; }
# etcdctl_on HOST ARGUMENT...: by the shared address.
etcdctl_on() {
  local flags="--endpoints=https://$address:12379 --command-timeout=2s"
  flags+=" --cacert=/etc/kubexms/etcd/ca.crt --cert=/etc/kubexms/etcd/client.crt --key=/etc/kubexms/etcd/client.key"
  lab ssh "$1" "ETCDCTL_API=3 etcdctl $flags ${*:2} 2>&1"
}
# holders HOST...: those of them that have the shared address.
holders() {
  local host
  for host; do
    if [ -n "$(lab ssh "$host" "ip -o -4 address show to $address/32")" ]; then echo "$host"; fi
  done
}
# others HOST: the other two.
others() { printf 'node1\nnode2\nnode3\n' | grep -v "$1"; }
# one_of HOST...: exactly one of them has the address.
one_of() { [ "$(holders "$@" | wc -l)" = 1 ]; }

# image FILE: an image of one program, which says hello and then sleeps for as long as it is told to.
image() {
  local layer config
  printf '#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\nint main(int n, char** a) {
    puts("hello from a container"); fflush(stdout); return n > 1 ? (int)sleep(atoi(a[1])) : 0; }\n' |
    cc -static -x c -o "$work/hello" -
  tar -C "$work" -cf "$work/layer.tar" hello
  layer=$(sha256sum <"$work/layer.tar" | cut -d ' ' -f 1)
  printf '{"architecture": "%s", "os": "linux", "rootfs": {"type": "layers", "diff_ids": ["sha256:%s"]}}' \
    "$(dpkg --print-architecture)" "$layer" >"$work/config.json"
  config=$(sha256sum <"$work/config.json" | cut -d ' ' -f 1)
  mv "$work/config.json" "$work/$config.json"
  printf '[{"Config": "%s.json", "RepoTags": ["lab.test/hello:1"], "Layers": ["layer.tar"]}]' \
    "$config" >"$work/manifest.json"
  tar -C "$work" -cf "$1" manifest.json "$config.json" layer.tar
}

# --- made, and made again
make_cluster >"$work/create.log" 2>&1 || failed "it is made" "success" "$(tail -n 30 "$work/create.log")"
shows "again there is nothing to do" "Done: 0 steps" make_cluster
shows "nobody has changed anything" "" cluster diff --artifact "$work/lab.artifact"

# --- containers
image "$work/hello.tar"
lab ssh node2 "ctr images import -" <"$work/hello.tar" >/dev/null
shows "a container runs" "hello from a container" \
  lab ssh node2 "ctr run --rm lab.test/hello:1 one /hello"
lab ssh node2 "ctr run --detach lab.test/hello:1 two /hello 9999" >/dev/null
expect "who pulls is for root to see" "600 root" \
  "$(lab ssh node2 "stat -c '%a %U' /etc/containerd/config.toml")"
lab ssh node2 "grep -q $REGISTRY_PASSWORD /etc/containerd/config.toml"
expect "and nowhere else" "" \
  "$(grep -rl "$REGISTRY_PASSWORD" "$work/state" "$work"/*.log || true)"

# --- one address
expect "one host has the address" 1 "$(holders node1 node2 node3 | wc -l)"
holder=$(holders node1 node2 node3)
mapfile -t left < <(others "$holder")
shows "etcd is behind it" "OK" etcdctl_on "${left[0]}" put key before
lab kill "$holder"
eventually "another host has it, and etcd takes writes" etcdctl_on "${left[0]}" put key after
expect "just one" 1 "$(holders "${left[@]}" | wc -l)"
lab start "$holder" >/dev/null 2>&1
holder=$(holders "${left[@]}")
mapfile -t left < <(others "$holder")
lab ssh "$holder" "systemctl stop haproxy"
eventually "it moves when the load balancer ends, too" one_of "${left[@]}"
shows "and etcd is behind it again" "after" etcdctl_on "$holder" get key
shows "a run mends it" "Done:" make_cluster
shows "for good" "Done: 0 steps" make_cluster

# --- taken away
shows "it can be deleted" "" cluster delete cluster --yes
expect "nobody has the address" "" "$(holders node1 node2 node3)"
refuses "nothing runs" "" lab ssh node2 "ps -e -o comm= | grep -Ex 'hello|containerd.*|haproxy|keepalived'"
refuses "no package is left" "" lab ssh node2 "dpkg -s containerd runc haproxy keepalived | grep 'ok installed'"
refuses "no file of ours is left" "" lab ssh node2 \
  "grep -rl 'Written by kubexms' /etc || test -e /etc/kubexms || test -e /etc/containerd/certs.d"
expect "nor a secret" "" "$(ls -A "$work/state/secrets" 2>/dev/null)"
