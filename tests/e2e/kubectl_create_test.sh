#!/usr/bin/env bash
# The commands of kubectl that make objects from flags; they send Kubernetes' binary format.
source "$(dirname "$0")/harness.sh" "$1"
start_server

shows "a namespace" "namespace/team created" kubectl create namespace team
refuses "once" 'namespaces "team" already exists' kubectl create namespace team

# creates WHAT FLAG...: kubectl create FLAG... makes WHAT, and it is there.
creates() {
  shows "kubectl create ${*:2}" "$1 created" kubectl create --namespace=team "${@:2}"
  expect "$1 is there" "$1" "$(kubectl get "$1" --namespace=team --output=name)"
}
creates configmap/map configmap map --from-literal=color=red \
  --from-file=certificate="$work/data/pki/ca.crt"
expect "its data is what was given" "red $(sha256sum <"$work/data/pki/ca.crt")" "$(
  kubectl get configmap map -n team -o 'jsonpath={.data.color}') $(
  kubectl get configmap map -n team -o 'go-template={{.data.certificate}}' | sha256sum)"
creates secret/word secret generic word --from-literal=word='open sesame'
expect "a secret has the bytes" "open sesame" \
  "$(kubectl get secret word -n team -o 'jsonpath={.data.word}' | base64 --decode)"
creates secret/tls secret tls tls --cert="$work/data/pki/admin.crt" --key="$work/data/pki/admin.key"
expect "of its type" kubernetes.io/tls "$(kubectl get secret tls -n team -o 'jsonpath={.type}')"
creates serviceaccount/robot serviceaccount robot
creates deployment.apps/web deployment web --image=nginx:1.25 --replicas=3 --port=80
expect "a deployment has what the flags say" "3 nginx:1.25 80" \
  "$(kubectl get deployment web -n team -o \
  'jsonpath={.spec.replicas} {..containers[0].image} {..containers[0].ports[0].containerPort}')"
creates job.batch/once job once --image=busybox -- echo 'a b'
expect "a job has its command" '["echo","a b"]' \
  "$(kubectl get job once -n team -o 'jsonpath={..containers[0].command}')"
creates service/inside service clusterip inside --tcp=80:8080
expect "a service has a port" "80 8080" "$(kubectl get service inside -n team \
  -o 'jsonpath={.spec.ports[0].port} {.spec.ports[0].targetPort}')"
creates service/outside service nodeport outside --tcp=80 --node-port=30080
creates role.rbac.authorization.k8s.io/reader role reader --verb=get,list --resource=pods
creates rolebinding.rbac.authorization.k8s.io/readers rolebinding readers --role=reader \
  --serviceaccount=team:robot
creates clusterrole.rbac.authorization.k8s.io/look clusterrole look --verb=get \
  --non-resource-url=/metrics
creates clusterrolebinding.rbac.authorization.k8s.io/lookers clusterrolebinding lookers \
  --clusterrole=look --user=jane
creates resourcequota/small quota small --hard=cpu=1,pods=2
creates priorityclass.scheduling.k8s.io/high priorityclass high --value=1000
creates ingress.networking.k8s.io/door ingress door --rule=example.com/=inside:80
if kubectl_has 22; then  # older ones ask for versions that no server has any more
  creates cronjob.batch/often cronjob often --image=busybox --schedule='*/5 * * * *'
  creates poddisruptionbudget.policy/two poddisruptionbudget two --selector=app=web \
    --min-available=2
fi

shows "a dry run makes nothing" "created (server dry run)" \
  kubectl create configmap dry --dry-run=server
refuses "nothing" "not found" kubectl get configmap dry
refuses "what is wrong is refused" 'ConfigMap "X_y" is invalid: metadata.name' \
  kubectl create configmap X_y
shows "-o shows what was made" "name: shown" kubectl create configmap shown -o yaml

shows "a pod is run" "pod/shell created" kubectl run shell --image=busybox --labels=app=shell
shows "a deployment is exposed" "service/web exposed" \
  kubectl expose deployment web -n team --port=80
shows "a deployment is scaled by load" "autoscaled" \
  kubectl autoscale deployment web -n team --min=1 --max=5 --cpu-percent=80

echo "all passed"
