#!/usr/bin/env bash
# etcd, containerd and load balancers on three real hosts: containers run from images of the artifact,
# and the address before etcd is held by one host, whatever happens to it.
# usage: cluster_ha_test.sh PATH_OF_KUBEXMS DIRECTORY_OF_LABS
# shellcheck source=tests/e2e/lab_harness.sh
source "$(dirname "$0")/lab_harness.sh" "$1" "$2"

hosts=$(lab up --hosts 3 2>"$work/up.log")
address=$(sed -n 's/^  address: \(.*\)\.11$/\1.100/p' <<<"$hosts")
# What stands behind the load balancers is etcd. with_registry REGISTRIES
with_registry() {
  configure "$hosts" "  roleGroups:
    etcd: &all [node1, node2, node3]
    controlPlane: *all
    loadBalancer: *all
  controlPlaneEndpoint: {address: $address, port: 12379, backendPort: 2379}
  containerRuntime:
    sandboxImage: lab.test/pause:1
    registries: [$1]
    images:
    - {name: 'lab.test/pause:1', sources: [{file: hello.tar}]}
    - {name: 'lab.test/hello:1', sources: [{architecture: $(dpkg --print-architecture), command: cat hello.tar}]}
  etcd: {binariesDir: $(etcd_programs)}"
}
with_registry "{name: registry.lab, username: puller, password: 'env:REGISTRY_PASSWORD'}"
export REGISTRY_PASSWORD=not-to-be-seen

make_cluster() { cluster create cluster --artifact "$work/lab.artifact"; }
endpoint=https://$address:12379  # the shared one
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

# image FILE WORDS: an image of one program, which says the words and then sleeps for as long as it is
# told to.
image() {
  local layer config
  printf '#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\nint main(int n, char** a) {
    puts("%s"); fflush(stdout); return n > 1 ? (int)sleep(atoi(a[1])) : 0; }\n' "$2" |
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
image "$work/other.tar" "hello from another image"
image "$work/hello.tar" "hello from a container"
build_artifact "$work/lab.artifact"

# --- made, and made again
make_cluster >"$work/create.log" 2>&1 || failed "it is made" "success" "$(tail -n 30 "$work/create.log")"
shows "again there is nothing to do" "Done: 0 steps" make_cluster
shows "nobody has changed anything" "" cluster diff --artifact "$work/lab.artifact"

# --- containers
shows "a container runs" "hello from a container" \
  lab ssh node2 "ctr -n k8s.io run --rm lab.test/hello:1 one /hello"
shows "also from the image of sandboxes" "hello from a container" \
  lab ssh node3 "ctr -n k8s.io run --rm lab.test/pause:1 one /hello"
lab ssh node2 "ctr -n k8s.io run --detach lab.test/hello:1 two /hello 9999" >/dev/null
lab ssh node1 "ctr -n k8s.io images remove lab.test/hello:1" >/dev/null
lab ssh node3 "base64 -d | ctr -n k8s.io images import -" < <(base64 "$work/other.tar") >/dev/null
says_hello() { lab ssh "$1" "ctr -n k8s.io run --rm lab.test/hello:1 one /hello"; }
shows "an image can be replaced by hand" "hello from another image" says_hello node3
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
lab ssh node1 "test -e /etc/containerd/certs.d/registry.lab/hosts.toml"
with_registry ""
shows "a run repairs it, and removes a registry" "Done:" make_cluster
repaired=$(last_run)
shows "for good" "Done: 0 steps" make_cluster
for host in node1 node3; do
  shows "$host has its image again" "hello from a container" says_hello $host
done
refuses "a registry that is no longer configured is removed" "" lab ssh node1 "ls -d /etc/containerd/certs.d/registry.lab"

# --- rolled back, and deleted
shows "the repair can be rolled back" "Done:" cluster rollback "$repaired"
shows "the previous image of the name is restored" "hello from another image" says_hello node3
refuses "an imported image is removed" "not found" says_hello node1
shows "it can be deleted" "" cluster delete cluster --yes
expect "nobody has the address" "" "$(holders node1 node2 node3)"
refuses "nothing runs" "" lab ssh node2 "ps -e -o comm= | grep -Ex 'hello|containerd.*|haproxy|keepalived'"
refuses "no package is left" "" lab ssh node2 "dpkg -s containerd runc haproxy keepalived | grep 'ok installed'"
refuses "no file of ours is left" "" lab ssh node2 \
  "grep -rl 'Written by kubexms' /etc || test -e /etc/kubexms || test -e /etc/containerd/certs.d"
expect "nor a secret" "" "$(ls -A "$work/state/secrets" 2>/dev/null)"
