#!/usr/bin/env bash
# Packages and binaries for hosts without internet, of two architectures: collected into an artifact,
# refused when it is damaged or not for the host, and installed from it on a real host, also on one
# whose power fails in the middle.
# usage: artifact_test.sh PATH_OF_KUBEXMS DIRECTORY_OF_LABS
# shellcheck source=tests/e2e/lab_harness.sh
source "$(dirname "$0")/lab_harness.sh" "$1" "$2"

hosts=$(lab up --hosts 1 2>"$work/up.log")
architecture=$(dpkg --print-architecture) other=arm64
[ "$architecture" != arm64 ] || other=amd64
printf '#!/bin/sh\necho a tool\n' >"$work/tool"
sum=$(sha256sum <"$work/tool" | cut -d ' ' -f 1)
# The directory of the file is served to those who fetch from it.
python3 -u -m http.server --bind 127.0.0.1 --directory "$work" 0 >"$work/web.log" 2>&1 &
writer=$!
eventually "a web server" grep -q port "$work/web.log"
web=http://127.0.0.1:$(sed -n 's/.* port \([0-9]*\) .*/\1/p' "$work/web.log")
# with_binaries SUM FILE
with_binaries() {
  configure "$hosts" "  roleGroups: {etcd: [node1]}
  artifact: lab.artifact
  binaries:
  - {name: local, path: /usr/local/bin/tool, sources: [{file: $2}]}
  - {name: made, path: /opt/tools/made, sources: [{command: 'echo made for \$ARCH'}], mode: '0644'}
  - name: fetched
    path: /opt/tools/fetched
    roleGroups: [etcd]
    sources:
    - {architecture: $architecture, url: '$web/tool', sha256: $1}
    - {architecture: $other, file: tool}"
}
# fails_to_build TEXT [FLAG...]
fails_to_build() {
  refuses "to build it" "$1" "$kubexms" artifact build -f "$config" --cache "$directory/artifacts" \
    -o "$work/none.artifact" "${@:2}"
  [ ! -e "$work/none.artifact" ] || failed "$1" "no artifact" "one"
}
on_node() { lab ssh node1 "$@"; }
installed() { on_node "dpkg-query -W -f='\${db:Status-Status} ' etcd-server etcd-client 2>&1"; }

# --- built
with_binaries "$sum" nothing
fails_to_build "the binary local: there is no file $work/nothing"
with_binaries "${sum//[0-9]/0}" tool
fails_to_build "has the checksum $sum, and the configuration says"
with_binaries "$sum" tool
fails_to_build "the binary fetched: the configuration has no source for riscv64, only for" --arch riscv64
build_artifact "$work/lab.artifact" --arch "$architecture" --arch "$other"
shows "it says what is in it" "package etcd-server" "$kubexms" artifact list "$work/lab.artifact"
shows "for both architectures" "debian-12 $other:" "$kubexms" artifact list "$work/lab.artifact"
build_artifact "$work/other.artifact" --arch "$other"
kill "$writer" && writer=
shows "also for programs" '"os": "debian-12"' "$kubexms" artifact list -o json "$work/lab.artifact"

# --- damaged
head -c 1000000 "$work/lab.artifact" >"$work/cut.artifact"
refuses "what is cut off" "is cut off" cluster create cluster --artifact "$work/cut.artifact"
cp "$work/lab.artifact" "$work/altered.artifact"
printf x | dd of="$work/altered.artifact" bs=1 seek=6000000 conv=notrunc status=none
refuses "what was altered" "was altered or is damaged" \
  cluster create cluster --artifact "$work/altered.artifact"
refuses "no path leads around it" "was altered or is damaged" \
  "$kubexms" artifact list "$work/altered.artifact"
refuses "what is for others" "is for debian-12 $other, and the host is debian-12 $architecture" \
  cluster create cluster --artifact "$work/other.artifact"
shows "then nothing has been done" "nothing" on_node "test -e /etc/kubexms || echo nothing"

# --- used
shows "a plan names it" "install etcd-server etcd-client" cluster plan
shows "a cluster is made of it" "Done:" cluster create cluster
shows "from the packages" "installed installed" installed
shows "and is healthy" "is healthy" etcdctl_on node1 endpoint health
expect "with its binaries" "a tool made for $architecture 755 644" \
  "$(on_node "echo \$(/usr/local/bin/tool; cat /opt/tools/made; stat -c %a /opt/tools/fetched /opt/tools/made)")"
shows "no file is left" "nothing" on_node "test -e /var/lib/kubexms/lab/packages || echo nothing"
shows "again there is nothing to do" "Done: 0 steps" cluster create cluster
shows "it can be deleted" "" cluster delete cluster --yes
shows "with all that came from it" "nothing" \
  on_node "ls -d /usr/bin/etcd /usr/local/bin/tool /opt/tools 2>/dev/null || echo nothing"

# --- the power fails while they are installed
layer=$directory/$name/hosts/node1/upper
cut_power_while_installing() {
  touch "$work/before"
  cluster create cluster >"$work/cut.log" 2>&1 &
  local run=$!
  until find "$layer" -path '*/bin/etcd*' -cnewer "$work/before" 2>/dev/null | grep -q .; do
    kill -0 $run 2>/dev/null || failed "a run" "installs packages" "$(cat "$work/cut.log")"
    sleep 0.01
  done
  cut_power node1
  ! wait $run || failed "a run without its host" "failure" "$(cat "$work/cut.log")"
  lab start node1 >/dev/null 2>&1
}
cut_power_while_installing
shows "it is rolled back when the host is back" "Done:" cluster rollback
shows "with what was there of the packages" "nothing" on_node "test -e /usr/bin/etcd || echo nothing"
cut_power_while_installing
shows "it is finished when the host is back" "Done:" cluster resume
shows "with the packages" "installed installed" installed
