// Two servers on one etcd, of which one runs the built-in controllers: when it is killed, the other
// goes on with them.
//
// usage: failover.mjs PATH_OF_KUBEXMS

import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { Server, eventually, fail, startEtcd, temporaryDirectory } from './server.mjs';

const directory = temporaryDirectory();
const etcd = await startEtcd(directory);
const servers = ['one', 'two'].map((name) => {
  mkdirSync(path.join(directory, name));
  return new Server(process.argv[2], path.join(directory, name),
                    [`--store=etcd://${etcd.endpoint}`]);
});
await Promise.all(servers.map((server) => server.start()));

// What the server's metric says, or undefined.
async function metric(server, name) {
  const { body } = await server.request('GET', '/metrics');
  const line = body.split('\n').find((each) => each.startsWith(name));
  return line && Number(line.split(' ').pop());
}

const kLeads = 'leader_election_master_status{name="kube-controller-manager"}';
const leads = async (server) => await metric(server, kLeads) === 1;

async function leaderOf(candidates) {
  return eventually('one of them leads', async () => {
    for (const server of candidates) if (await leads(server)) return server;
    return undefined;
  });
}

async function call(server, method, target, body) {
  const answer = await server.request(method, target, body);
  if (answer.status >= 300) fail(`${method} ${target}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

// A namespace gets what every one has, and goes when it is deleted.
async function controllersWork(server, name) {
  await call(server, 'POST', '/api/v1/namespaces', { metadata: { name } });
  const found = async (target) => (await server.request('GET', target)).status === 200;
  await eventually(`${name} has its service account`,
                   () => found(`/api/v1/namespaces/${name}/serviceaccounts/default`));
  await call(server, 'DELETE', `/api/v1/namespaces/${name}`);
  await eventually(`${name} goes`, async () => !await found(`/api/v1/namespaces/${name}`));
}

for (const server of servers) {
  await eventually('its controllers are ready, or ready to take over',
                   async () => (await server.request('GET', '/readyz/controllers')).status === 200);
  const { body } = await server.request('GET', '/readyz?verbose');
  if (!body.includes('[+]controllers ok\n')) fail(`/readyz does not tell of them: ${body}`);
}
const leader = await leaderOf(servers);
const other = servers.find((server) => server !== leader);
await controllersWork(other, 'before');
if (await leads(other)) fail('both lead');

await leader.kill();
await leaderOf([other]);
await controllersWork(other, 'after');
console.log('all passed');
process.exit(0);
