#!/usr/bin/env bash
# A server's life: its first start, a restart, a second one beside it, and a clean end.
source "$(dirname "$0")/harness.sh" "$1"

mode_of() { stat --format=%a "$@" | sort -u | xargs; }

# --- the first start, even after some that were cut short
for file in pki/ca.key store/LOCK store/db/CURRENT pki/apiserver.key admin.kubeconfig; do
  "$kubexms" server --data-dir "$work/data" --bind 127.0.0.1:0 2>>"$work/server.log" &
  server=$!
  eventually "a server writes $file" test -e "$work/data/$file"
  stop_server KILL
done
start_server
expect "the data directory is private" 700 "$(mode_of "$work/data")"
expect "keys and kubeconfigs are private" 600 \
  "$(mode_of "$KUBECONFIG" "$work"/data/pki/*.key)"
shows "the authority is there" "CA:TRUE" openssl x509 -in "$work/data/pki/ca.crt" -noout -text
shows "the server's certificate is of it" "OK" \
  openssl verify -CAfile "$work/data/pki/ca.crt" "$work/data/pki/apiserver.crt"
shows "it has the server's names" "DNS:kubernetes.default.svc" \
  openssl x509 -in "$work/data/pki/apiserver.crt" -noout -text
shows "it says how to be used" "export KUBECONFIG=$KUBECONFIG" cat "$work/server.log"
expect "strangers may see whether it is well" ok "$(request /readyz)"
expect "but nothing else" 401 \
  "$(request /api/v1/secrets --output /dev/null --write-out "%{http_code}")"
refuses "it is not a server without TLS" "curl" \
  curl --silent --show-error --fail "http://127.0.0.1:$port/readyz"

# --- a second server
second() { "$kubexms" server --data-dir "$work/$1" --bind "127.0.0.1:${2:-0}"; }
credentials=$(cat "$work"/data/pki/* | sha256sum)
refuses "not in the same directory" "is in use by process $server: stop that process or choose" \
  second data
expect "it leaves the first one's alone" "$credentials" "$(cat "$work"/data/pki/* | sha256sum)"
refuses "not on the same port" "listen on 127.0.0.1:$port: Address already in use" \
  second other "$port"
expect "the first one does not mind" ok "$(request /readyz)"

# --- a file that it cannot write
mkdir --parents "$work/other/requests.log"
refuses "it says which, and what to do" \
  "--controllers '*' runs the server without the platform): cannot open $work/other/requests.log: Is a directory" second other

# --- a restart
post_map() {
  as_admin /api/v1/namespaces/default/configmaps --fail \
    --header 'Content-Type: application/json' "$@"
}
post_map --data '{"metadata":{"name":"kept"}}' >"$work/kept"
get_map() { as_admin "/api/v1/namespaces/default/configmaps/$1" --fail; }
for signal in TERM INT KILL; do
  stop_server $signal
  [ $signal = KILL ] || expect "SIG$signal is a clean end" 0 "$stopped"
  refuses "then nobody listens" "curl: (7)" request /readyz
  start_server
  expect "the credentials are the same after SIG$signal" "$credentials" \
    "$(cat "$work"/data/pki/* | sha256sum)"
  expect "the objects are the same after SIG$signal" "$(cat "$work/kept")" "$(get_map kept)"
done

# --- the end, with clients: watches and a request that is still being sent
watches=()
for version in http1.1 http2; do
  as_admin '/api/v1/namespaces/default/configmaps?watch=1' "--$version" --no-buffer --fail \
    >"$work/watch.$version" &
  watches+=($!)
done
mkfifo "$work/body"
post_map --http1.1 --verbose --upload-file - --request POST <"$work/body" \
  >"$work/answer" 2>"$work/sending" &
sender=$!
exec 3>"$work/body"
printf '{"metadata":{"name":' >&3
for version in http1.1 http2; do
  eventually "a watch over $version has begun" grep -q '"name":"kept"' "$work/watch.$version"
done
eventually "the server waits for the rest of the request" grep -q '100 Continue' "$work/sending"
kill -TERM "$server"
for i in 0 1; do
  wait "${watches[$i]}" || failed "watch $i ends cleanly" "exit code 0" $?
done
refuses "new clients are turned away" "curl: (" request /readyz --fail
printf '"late"}}' >&3
exec 3>&-
wait $sender || failed "a request that was under way is answered" "exit code 0" $?
shows "with success" '"name": "late"' cat "$work/answer"
stop_server 0
expect "the end is clean" 0 "$stopped"

start_server
shows "what was answered is stored" '"name": "late"' get_map late

# --- what cannot work, says why
refuses "an address that is none" "--bind: a listen address must be ADDRESS:PORT" \
  "$kubexms" server --data-dir "$work/other" --bind nowhere
refuses "a store that is none" "the store must be rocksdb, memory or etcd://HOST:PORT" \
  "$kubexms" server --data-dir "$work/other" --bind 127.0.0.1:0 --store paper
refuses "an etcd that is not there" "no endpoint can be reached" \
  "$kubexms" server --data-dir "$work/other" --bind 127.0.0.1:0 --store etcd://127.0.0.1:1

echo "all passed"
