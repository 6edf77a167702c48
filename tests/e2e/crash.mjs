// The server is killed again and again while clients write and watch. Whatever was acknowledged
// must be there afterwards, resource versions never go back, and a watcher that resumes from the
// last version it saw misses nothing and sees nothing twice.
//
// usage: crash.mjs PATH_OF_KUBEXMS [--rounds=10] [--store=rocksdb|etcd] [--seed=NUMBER]

import { parseArgs } from 'node:util';
import { Server, eventually, fail, startEtcd, temporaryDirectory } from './server.mjs';

const kWriters = 8;
const kNamesOfWriter = 5;
const kWatchers = 3;
const kMap = '/api/v1/namespaces/default/configmaps';

const { values: flags, positionals: [kubexms] } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '10' },
    store: { type: 'string', default: 'rocksdb' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});

// Numbers from 0 up to, without, `bound`; the same for the same seed.
let seed = Number(flags.seed);
function random(bound) {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((seed / 2 ** 32) * bound);
}

const versionOf = (object) => Number(object.metadata.resourceVersion);
const same = (one, other) => one?.version === other?.version && one?.value === other?.value;
const stateOf = (object) => ({
  version: versionOf(object), value: object.data.value, uid: object.metadata.uid,
});

// One name and what a client knows about it: `states` are those it may be in, null for "not there".
// There is more than one only while the answer to a change is missing.
class Entry {
  constructor(name) {
    this.name = name;
    this.states = [null];
  }
}

// What was acknowledged: versions of writes, uids of deletions.
const acknowledged = { versions: [], deleted: [], highest: 0 };

class Writer {
  constructor(server, number) {
    this.server = server;
    this.entries = Array.from({ length: kNamesOfWriter }, (_, i) => new Entry(`w${number}-${i}`));
    this.count = 0;
  }

  // Writes until the server is gone.
  async run() {
    for (;;) {
      const entry = this.entries[random(this.entries.length)];
      try {
        await this.change(entry);
      } catch (error) {
        if (!error.code && error.message !== 'aborted') throw error;
        return;
      }
    }
  }

  async change(entry) {
    const [state] = entry.states;
    const value = `${entry.name}/${++this.count}`;
    if (state === null) return this.write(entry, value, 'POST', kMap, { name: entry.name });
    if (random(5) === 0) return this.delete(entry);
    const metadata = { name: entry.name, resourceVersion: String(state.version) };
    return this.write(entry, value, 'PUT', `${kMap}/${entry.name}`, metadata);
  }

  async write(entry, value, method, path, metadata) {
    entry.states.push({ value });
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { value } };
    const answer = await this.server.request(method, path, body);
    if (answer.status >= 300) fail(`${method} ${entry.name}: ${JSON.stringify(answer.body)}`);
    entry.states = [stateOf(answer.body)];
    const { version } = entry.states[0];
    acknowledged.versions.push(version);
    acknowledged.highest = Math.max(acknowledged.highest, version);
  }

  async delete(entry) {
    const [{ uid }] = entry.states;
    entry.states.push(null);
    const answer = await this.server.request('DELETE', `${kMap}/${entry.name}`);
    if (answer.status !== 200) fail(`DELETE ${entry.name}: ${JSON.stringify(answer.body)}`);
    entry.states = [null];
    acknowledged.deleted.push(uid);
  }

  // Compares what is there with what may be; from then on only that may be.
  settle(objects) {
    for (const entry of this.entries) {
      const found = objects.get(entry.name) ?? null;
      const possible = entry.states.some((state) => (state === null || found === null
        ? state === found
        : state.value === found.value && (state.version ?? found.version) === found.version));
      if (!possible) {
        fail(`${entry.name} is ${JSON.stringify(found)}, ` +
             `but could only be one of ${JSON.stringify(entry.states)}`);
      }
      entry.states = [found];
    }
  }
}

// Keeps a copy of all objects by watching, and all it ever saw.
class Watcher {
  constructor(server) {
    this.server = server;
    this.objects = new Map();
    this.versions = new Set();
    this.deleted = new Set();
    this.version = 0;
  }

  async run() {
    for (;;) {
      const query = `watch=1&allowWatchBookmarks=true&resourceVersion=${this.version}`;
      await this.server.watch(`${kMap}?${query}`, (event) => this.see(event));
      await eventually('the server is back', () => this.server.isReady());
    }
  }

  see({ type, object }) {
    if (type === 'ERROR') fail(`a watch from ${this.version} ends: ${JSON.stringify(object)}`);
    const version = versionOf(object);
    if (type === 'BOOKMARK') {
      if (version < this.version) fail(`a bookmark goes back from ${this.version} to ${version}`);
      this.version = version;
      return;
    }
    if (version <= this.version) fail(`after version ${this.version}, ${type} has ${version}`);
    this.version = version;
    const { name, uid } = object.metadata;
    if (this.objects.has(name) !== (type !== 'ADDED')) fail(`${type} of ${name} out of order`);
    this.versions.add(version);
    if (type === 'DELETED') {
      this.objects.delete(name);
      this.deleted.add(uid);
    } else {
      this.objects.set(name, stateOf(object));
    }
  }

  // Compares its copy with what is there, and all it saw with all that was acknowledged.
  check(objects) {
    for (const name of new Set([...objects.keys(), ...this.objects.keys()])) {
      if (!same(objects.get(name), this.objects.get(name))) {
        fail(`a watcher believes that ${name} is ${JSON.stringify(this.objects.get(name))}, ` +
             `but it is ${JSON.stringify(objects.get(name))}`);
      }
    }
    const missed = acknowledged.versions.find((version) => !this.versions.has(version)) ??
                   acknowledged.deleted.find((uid) => !this.deleted.has(uid));
    if (missed !== undefined) fail(`a watcher missed ${missed}`);
  }
}

async function list(server) {
  const { status, body } = await server.request('GET', kMap);
  if (status !== 200) fail(`list: ${JSON.stringify(body)}`);
  const objects = new Map(body.items.map((item) => [item.metadata.name, stateOf(item)]));
  return { version: versionOf(body), objects };
}

// One life of the server, and what is left of it.
async function round(server, writers, watchers) {
  const writing = Promise.all(writers.map((writer) => writer.run()));
  setTimeout(() => server.kill(), 20 + random(400));
  await writing;
  await server.process.exited;
  await server.start();
  const { version, objects } = await list(server);
  if (version < acknowledged.highest) fail(`from ${acknowledged.highest} back to ${version}`);
  for (const writer of writers) writer.settle(objects);
  const last = Math.max(0, ...[...objects.values()].map((state) => state.version));
  for (const watcher of watchers) {
    await eventually(`a watcher is at ${last}`, () => watcher.version >= last);
    await eventually('a watcher saw all deletions', () => watcher.objects.size === objects.size);
    watcher.check(objects);
  }
}

async function main() {
  const directory = temporaryDirectory();
  const etcd = flags.store === 'etcd' ? await startEtcd(directory) : undefined;
  const server = new Server(kubexms, directory, [
    '--controllers=none', // nobody writes but the writers
    ...(etcd ? [`--store=etcd://${etcd.endpoint}`] : []),
  ]);
  await server.start();
  const writers = Array.from({ length: kWriters }, (_, i) => new Writer(server, i));
  const watchers = Array.from({ length: kWatchers }, () => new Watcher(server));
  const { version } = await list(server);
  for (const watcher of watchers) {
    watcher.version = version;
    watcher.run();
  }
  for (let i = 0; i < Number(flags.rounds); ++i) await round(server, writers, watchers);
  const { versions, deleted } = acknowledged;
  console.log(`${versions.length} writes and ${deleted.length} deletions survived`);
  process.exit(0);
}

process.on('exit', (code) => { if (code) console.error(`--seed=${flags.seed}`); });
await main();
