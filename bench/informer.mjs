// The baseline of controller_bench: measures the informer of @kubernetes/client-node and prints one
// line of JSON.
//
// usage: node --expose-gc informer.mjs FOLDER_OF_NODE_MODULES KUBECONFIG WRITES POD_VERSION
//          POD_CHANGES
//
// POD_CHANGES is the number of changes of Pods after POD_VERSION.

import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [modules, kubeconfig, writes, pod_version, pod_changes] = process.argv.slice(2);
const library = path.join(modules, '@kubernetes/client-node/dist/index.js');
const k8s = await import(pathToFileURL(library));

const config = new k8s.KubeConfig();
config.loadFromFile(kubeconfig);
const core = config.makeApiClient(k8s.CoreV1Api);
const memory = () => {
  global.gc();
  return process.memoryUsage().rss;
};

const before = memory();
const informer = k8s.makeInformer(
  config, '/api/v1/configmaps', () => core.listConfigMapForAllNamespaces());
let changed = () => {};
informer.on('update', (object) => changed(object));
informer.on('error', (error) => { throw error; });
const begin = performance.now();
await informer.start();
const sync_ms = performance.now() - begin;
const objects = informer.list().length;
const bytes_per_object = (memory() - before) / objects;

const patch = (data) => core.patchNamespacedConfigMap(
  { namespace: 'default', name: 'latency', body: { data } },
  k8s.setHeaderOptions('Content-Type', k8s.PatchStrategy.MergePatch));

const latencies = [];
for (let i = 0; i < Number(writes); ++i) {
  const seen = new Promise((resolve) => { changed = resolve; });
  const start = performance.now();
  await patch({ round: `node-${i}` });
  await seen;
  latencies.push((performance.now() - start) * 1000);
}
latencies.sort((a, b) => a - b);
const at = (fraction) => latencies[Math.floor(latencies.length * fraction)];
// Watches from an old version, so that the server sends all changes as fast as it can.
const before_pods = memory();
const pods = k8s.makeInformer(config, '/api/v1/pods', () => core.listPodForAllNamespaces(
  { resourceVersion: pod_version, resourceVersionMatch: 'Exact' }));
let events = 0;
let all_came = () => {};
const last = new Promise((resolve) => { all_came = resolve; });
pods.on('update', () => { if (++events === Number(pod_changes)) all_came(); });
pods.on('error', (error) => { throw error; });
await pods.start();
const listed = performance.now();
await last;
const pod_events_per_second = events / ((performance.now() - listed) / 1000);
const bytes_per_pod = (memory() - before_pods) / pods.list().length;

console.log(JSON.stringify({
  sync_ms, objects, bytes_per_object, p50_us: at(0.5), p99_us: at(0.99),
  bytes_per_pod, pod_events_per_second }));
process.exit(0);
