#!/usr/bin/env bash
# `kubexms new controller`, from an installation to objects on a server: a project of every style is
# written, built, tested, installed and run. usage: scaffold_test.sh KUBEXMS BUILD_DIRECTORY COMPILER
source "$(dirname "$0")/../e2e/harness.sh" "$1"

cmake --install "$2" --prefix "$work/prefix" >/dev/null
PATH=$work/prefix/bin:$PATH
export CMAKE_PREFIX_PATH=$work/prefix CXX=$3
cd "$work"

# --- what is refused
refuses "a name that is none" "DNS-1035" kubexms new controller Web_Sites --group example.io --kind Web
refuses "a kind that is none" "CamelCase" kubexms new controller web --group example.io --kind web
refuses "a style that is none" "reconciler, stages, request" \
  kubexms new controller web --group example.io --kind Web --style stage
expect "nothing was written then" "" "$(ls | grep -v -e prefix -e '\.log$' || true)"
mkdir full && touch full/mine
refuses "a directory that is not empty" "nothing was written" \
  kubexms new controller full --group example.io --kind Web
expect "and is left as it is" mine "$(ls full)"

# --- a project of every style: PROGRAM PLURAL, in a directory named after the program. Some kinds
# have names that headers of the C library have, too.
kubexms new controller web-sites --group example.io --kind WebSite >next-steps
expect "the next steps are printed" 1 "$(grep -c 'cmake --build build' next-steps)"
kubexms new controller teams --group teams.example.io --kind Semaphore --version v1alpha1 \
  --style stages --cluster-scoped >/dev/null
kubexms new controller greeter --group a.example.io --kind Time --style request >/dev/null

# build_project NAME: without optimization, which nothing here needs.
build_project() {
  cmake -G Ninja -S "$1" -B "$1/build" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 \
    --log-level=WARNING && ninja -C "$1/build" -j 1 --quiet &&
    ctest --test-dir "$1/build" --output-on-failure --no-tests=error
}
builds=()
for project in web-sites teams greeter; do
  build_project "$project" >"$project.log" 2>&1 &
  builds+=($!)
done
for build in "${builds[@]}"; do
  wait "$build" || failed "the project builds and passes its tests" success "$(tail -n 60 ./*.log)"
done

# --- a manifest that is not up to date is found, and made anew
sed -i 's/Hello/Goodbye/' web-sites/config/crd.yaml
refuses "a stale manifest" "cmake --build build --target manifests" \
  ctest --test-dir web-sites/build --output-on-failure -R config/crd.yaml
ninja -C web-sites/build manifests >/dev/null
shows "it is current again" "100% tests passed" ctest --test-dir web-sites/build -R config

# --- the image has the libraries that the program is linked with
for library in $(objdump -p web-sites/build/web-sites | sed -n 's/ *NEEDED *//p'); do
  package=$(dpkg -S "*/$("$CXX" -print-multiarch)/$library" | sed -n '1s/:.*//p')
  case $package in
    libc6 | libgcc-s1 | libstdc++6) ;;  # every image of Debian has them
    *) grep -q -w -F -e "$package" web-sites/Containerfile ||
      failed "the image has $library" "$package in Containerfile" "$(cat web-sites/Containerfile)" ;;
  esac
done

# --- on a server
start_server
# As much of the Prometheus operator's kind as is used.
kubectl apply -f - >/dev/null <<'END'
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: servicemonitors.monitoring.coreos.com}
spec:
  group: monitoring.coreos.com
  names: {kind: ServiceMonitor, plural: servicemonitors}
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              required: [selector, endpoints]
              properties:
                selector:
                  type: object
                  properties:
                    matchLabels: {type: object, additionalProperties: {type: string}}
                endpoints:
                  type: array
                  items:
                    type: object
                    properties:
                      port: {type: string}
                      path: {type: string}
                      interval: {type: string}
END

programs=()
trap 'for program in "${programs[@]}"; do kill -KILL "$program" 2>/dev/null || true; done; finish' EXIT

message_of_sample() { kubectl get configmap sample --output 'jsonpath={.data.message}'; }
says() { [ "$(message_of_sample)" = "$1" ]; }
is_in_table() { kubectl get "$1" sample | grep "$2"; }

# run_project NAME PLURAL DONE [LEFT]: DONE is in its table once it is, and LEFT is what stays when
# the sample is deleted.
run_project() {
  local role="system:serviceaccount:$1-system:$1"
  shows "$1 is installed" "deployment.apps/$1 created" kubectl apply -f "$1/config/"
  shows "its metrics are collected" "servicemonitor.monitoring.coreos.com/$1 created" \
    kubectl apply -f "$1/config/monitoring/"
  expect "to install it again changes nothing" "" \
    "$(kubectl apply --dry-run=server -f "$1/config/" -f "$1/config/monitoring/" |
      grep -v 'unchanged (server dry run)')"
  expect "its account may do its work" yes "$(kubectl auth can-i update "$2" --as "$role")"
  expect "and no more" no "$(kubectl auth can-i get secrets --as "$role" || true)"
  kubeconfig_of "$1-system" "$1" >"$work/$1.kubeconfig"
  "$1/build/$1" --kubeconfig "$work/$1.kubeconfig" --set endpointsAddress=127.0.0.1:0 \
    --leader-elect --namespace "$1-system" 2>"$1.log" &
  programs+=($!)
  kubectl apply -f "$1/config/samples/" >/dev/null
  eventually "the sample of $1 is reconciled" says "Good morning"
  eventually "and its table says so" is_in_table "$2" "$3"
  expect "it was allowed all that it tried" "" "$(grep -i forbidden "$1.log" || true)"
  understood "Prometheus understands its metrics" manager_answers /metrics "$1.log"
  kubectl delete "$2" sample >/dev/null
  expect "it cleans up" "${4-}" "$(kubectl get configmap sample --ignore-not-found --output name)"
  kill -TERM "${programs[-1]}"
  local status=0
  wait "${programs[-1]}" || status=$?
  expect "it ends cleanly" 0 "$status"
}
run_project web-sites websites.example.io Ready
run_project teams semaphores.teams.example.io Ready
run_project greeter times.a.example.io Completed configmap/sample
echo "all passed"
