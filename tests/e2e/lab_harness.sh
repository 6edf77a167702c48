# Shared by the scripts of this folder that need real hosts: a lab of their own, which is gone when
# they end. The first line of a script: source lab_harness.sh PATH_OF_KUBEXMS DIRECTORY_OF_LABS
# shellcheck shell=bash
directory=$2
if [ "$(id -u)" != 0 ] || ! command -v systemd-nspawn >/dev/null || ! command -v debootstrap >/dev/null; then
  echo "SKIPPED: a lab needs root, systemd-nspawn and debootstrap"
  exit 77
fi
# shellcheck source=tests/e2e/harness.sh
source "$(dirname "$0")/harness.sh" "$1"

name=t$$
writer=''  # a process of the script that is to end with it
# lab COMMAND ARGUMENT...
lab() { "$kubexms" lab "$1" --dir "$directory" --name "$name" "${@:2}"; }
finish_lab() {
  local status=$?
  [ -z "$writer" ] || kill "$writer" 2>/dev/null || true
  [ $status = 0 ] || tail -n 30 "$work"/*.log "$directory/$name"/hosts/*/console.log >&2 || true
  lab down >/dev/null 2>&1 || true
  rm -rf "$work"
  exit $status
}
trap finish_lab EXIT
mkdir -p "$directory"

address_of() { lab status | awk -v host="$1" '$1 == host { print $2 }'; }
# cut_power HOST: it is gone from one moment to the next.
cut_power() {
  lab kill "$1"
  ip neigh flush to "$(address_of "$1")" # otherwise it takes longer to learn that it is gone
}

config=$work/cluster.yaml
# cluster COMMAND...
cluster() { "$kubexms" "$@" -f "$config" --state-dir "$work/state"; }
# last_run: the name of the newest run.
last_run() {
  local runs=("$work"/state/runs/*)
  basename "${runs[-1]}"
}
# mentions TEXT: how often the journals say it.
mentions() { { grep -rhF "$1" "$work/state/runs" 2>/dev/null || true; } | wc -l; }
is_mentioned_again() { [ "$(mentions "$1")" -gt "$2" ]; }
# killed_at TEXT COMMAND...: killed as soon as a journal says TEXT once more.
killed_at() {
  local before
  before=$(mentions "$1")
  "$kubexms" "${@:2}" -f "$config" --state-dir "$work/state" >"$work/killed.log" 2>&1 &
  local run=$!
  eventually "a journal says $1" is_mentioned_again "$1" "$before"
  { kill -KILL $run && wait $run; } 2>/dev/null || true
}
# records: how many the journals have.
records() { cat "$work"/state/runs/*/journal 2>/dev/null | wc -l; }
# killed_somewhere COMMAND...: killed after a random number of further records, and then within the
# next 0.4 s, unless it ends before that. RANDOM=$seed makes it the same again.
killed_somewhere() {
  local target delay
  target=$(($(records) + RANDOM % 12)) delay=0.$((RANDOM % 4))$((RANDOM % 10))
  "$kubexms" "$@" -f "$config" --state-dir "$work/state" >"$work/killed.log" 2>&1 &
  local run=$!
  while [ "$(records)" -lt $target ] && kill -0 $run 2>/dev/null; do sleep 0.01; done
  sleep $delay
  { kill -KILL $run && wait $run; } 2>/dev/null || true
}
# configure HOSTS MORE: the file of a cluster; HOSTS is what `lab up` printed.
configure() {
  {
    printf 'apiVersion: kubexms.io/v1alpha1\nkind: Cluster\nmetadata: {name: lab}\nspec:\n'
    sed 's/^/  /' <<<"$1"
    # The kernel is the machine's, and not a test's to change; so is its disk.
    printf '  system: {configureKernel: false}\n  preflight: {maxDiskSyncMilliseconds: 0}\n%s\n' "$2"
  } >"$config"
}
# Where this machine has etcd.
etcd_programs() { dirname "$(command -v etcd)"; }

# build_artifact FILE [FLAG...]: what the cluster needs.
build_artifact() {
  "$kubexms" artifact build -f "$config" --cache "$directory/artifacts" -o "$1" "${@:2}" \
    2>"$work/build.log" && return
  if grep -qE 'Temporary failure resolving|Could not connect|Failed to fetch' "$work/build.log"; then
    echo "SKIPPED: Debian's packages cannot be fetched from here"
    exit 77
  fi
  failed "an artifact is built" "success" "$(cat "$work/build.log")"
}

# Asks the etcd of its host, unless $endpoint is another.
endpoint=https://127.0.0.1:2379
etcdctl() {
  echo "ETCDCTL_API=3 etcdctl --endpoints=$endpoint --command-timeout=5s" \
    "--cacert=/etc/kubexms/etcd/ca.crt --cert=/etc/kubexms/etcd/client.crt" \
    "--key=/etc/kubexms/etcd/client.key $*"
}
# etcdctl_on HOST ARGUMENT...
etcdctl_on() { lab ssh "$1" "$(etcdctl "${@:2}") 2>&1"; }
