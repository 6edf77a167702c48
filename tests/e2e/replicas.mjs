// Two servers on one etcd: what is written through one is seen through both, by everybody in the
// same order, and of two clients that change one object at the same time one gets a conflict.
//
// usage: replicas.mjs PATH_OF_KUBEXMS

import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { Server, eventually, fail, startEtcd, temporaryDirectory } from './server.mjs';

const kMap = '/api/v1/namespaces/default/configmaps';
const kIncrements = 50;

const directory = temporaryDirectory();
const etcd = await startEtcd(directory);
const servers = ['one', 'two'].map((name) => {
  mkdirSync(path.join(directory, name));
  return new Server(process.argv[2], path.join(directory, name),
                    [`--store=etcd://${etcd.endpoint}`]);
});
await Promise.all(servers.map((server) => server.start()));

async function call(server, method, target, body) {
  const answer = await server.request(method, target, body);
  if (answer.status >= 300 && answer.status !== 409) {
    fail(`${method} ${target}: ${JSON.stringify(answer.body)}`);
  }
  return answer;
}

// Reads and writes until `kIncrements` of its writes were accepted.
async function increment(server) {
  let conflicts = 0;
  for (let i = 0; i < kIncrements; ) {
    const { body: counter } = await call(server, 'GET', `${kMap}/counter`);
    counter.data.count = String(Number(counter.data.count) + 1);
    const { status } = await call(server, 'PUT', `${kMap}/counter`, counter);
    if (status === 409) ++conflicts;
    else ++i;
  }
  return conflicts;
}

const counter = { metadata: { name: 'counter' }, data: { count: '0' } };
const { body: created } = await call(servers[0], 'POST', kMap, counter);
const seen = servers.map(() => []);
servers.forEach((server, i) => server.watch(
  `${kMap}?watch=1&fieldSelector=metadata.name%3Dcounter` +
    `&resourceVersion=${created.metadata.resourceVersion}`,
  ({ object }) => seen[i].push(`${object.metadata.resourceVersion}:${object.data.count}`)));

const conflicts = await Promise.all(servers.map(increment));
const expected = 2 * kIncrements;
for (const [i, events] of seen.entries()) {
  await eventually(`watcher ${i} sees all changes`, () => events.length >= expected);
}
if (seen[0].join() !== seen[1].join()) fail('the watchers saw different changes');
seen[0].forEach((event, i) => {
  if (Number(event.split(':')[1]) !== i + 1) fail(`change ${i + 1} is ${event}`);
});

// A definition that is made through one server is served by the other, too.
await call(servers[0], 'POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
  metadata: { name: 'boats.example.com' },
  spec: {
    group: 'example.com', scope: 'Namespaced',
    names: { plural: 'boats', singular: 'boat', kind: 'Boat' },
    versions: [{ name: 'v1', served: true, storage: true,
                 schema: { openAPIV3Schema: { type: 'object' } } }],
  },
});
const kBoats = '/apis/example.com/v1/namespaces/default/boats';
await eventually('the other server has the kind',
                 async () => (await servers[1].request('GET', kBoats)).status === 200);
await call(servers[1], 'POST', kBoats,
           { apiVersion: 'example.com/v1', kind: 'Boat', metadata: { name: 'ida' } });
await call(servers[0], 'GET', `${kBoats}/ida`);

console.log(`all passed, with ${conflicts.join(' and ')} conflicts`);
process.exit(0);
