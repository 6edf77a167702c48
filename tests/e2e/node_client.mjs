// @kubernetes/client-node against the server: typed calls, server-side apply, custom objects, and
// informers that go on after the server was killed and started again.
//
// usage: node_client.mjs PATH_OF_KUBEXMS FOLDER_OF_NODE_MODULES

import assert from 'node:assert/strict';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Server, eventually, temporaryDirectory } from './server.mjs';

const [kubexms, modules] = process.argv.slice(2);
const library = path.join(modules, '@kubernetes/client-node/dist/index.js');
const k8s = await import(pathToFileURL(library));

const namespace = 'default';
const as = (strategy) => k8s.setHeaderOptions('Content-Type', strategy);
const configMap = (name, data, metadata = {}) => (
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data });

// The code of the Status that a call is refused with.
async function codeOf(call) {
  const error = await call.then(() => assert.fail('the call succeeded'), (reason) => reason);
  return error.code;
}

async function typedCalls(core) {
  const body = configMap('typed', { color: 'red' }, { labels: { test: 'typed' } });
  const created = await core.createNamespacedConfigMap({ namespace, body });
  assert.ok(created.metadata.creationTimestamp instanceof Date);
  assert.equal(await codeOf(core.createNamespacedConfigMap({ namespace, body })), 409);

  const read = await core.readNamespacedConfigMap({ namespace, name: 'typed' });
  assert.equal(read.metadata.uid, created.metadata.uid);
  read.data.color = 'green';
  const replace = () => core.replaceNamespacedConfigMap({ namespace, name: 'typed', body: read });
  assert.equal((await replace()).data.color, 'green');
  assert.equal(await codeOf(replace()), 409);

  const patch = (change, strategy) => core.patchNamespacedConfigMap(
    { namespace, name: 'typed', body: change }, as(strategy));
  await patch([{ op: 'add', path: '/data/size', value: '1' }], k8s.PatchStrategy.JsonPatch);
  await patch({ data: { color: null } }, k8s.PatchStrategy.MergePatch);
  const patched = await patch({ data: { shape: 'round' } }, k8s.PatchStrategy.StrategicMergePatch);
  assert.deepEqual(patched.data, { shape: 'round', size: '1' });

  const list = await core.listNamespacedConfigMap({ namespace, labelSelector: 'test=typed' });
  assert.deepEqual(list.items.map((item) => item.metadata.name), ['typed']);
  await core.deleteNamespacedConfigMap({ namespace, name: 'typed' });
  assert.equal(await codeOf(core.readNamespacedConfigMap({ namespace, name: 'typed' })), 404);
}

async function secretsAreBytes(core) {
  const data = { word: Buffer.from('open sesame').toString('base64') };
  const body = { metadata: { name: 'secret' }, type: 'Opaque', data };
  await core.createNamespacedSecret({ namespace, body });
  const read = await core.readNamespacedSecret({ namespace, name: 'secret' });
  assert.equal(Buffer.from(read.data.word, 'base64').toString(), 'open sesame');
}

async function serverSideApply(core) {
  const apply = (fieldManager, data, force) => core.patchNamespacedConfigMap(
    { namespace, name: 'applied', body: configMap('applied', data), fieldManager, force },
    as(k8s.PatchStrategy.ServerSideApply));
  await apply('one', { a: '1', b: '1' });
  await apply('two', { c: '2' });
  assert.equal(await codeOf(apply('two', { a: '2', c: '2' })), 409);
  assert.deepEqual((await apply('two', { a: '2' }, true)).data, { a: '2', b: '1' });
  assert.deepEqual((await apply('one', { b: '1' })).data, { a: '2', b: '1' });
  assert.deepEqual((await apply('one', {})).data, { a: '2' });
}

async function pages(core) {
  for (let i = 0; i < 7; ++i) {
    const body = configMap(`page-${i}`, {}, { labels: { test: 'pages' } });
    await core.createNamespacedConfigMap({ namespace, body });
  }
  const names = [];
  for (let _continue; _continue !== ''; ) {
    const page = await core.listNamespacedConfigMap(
      { namespace, labelSelector: 'test=pages', limit: 3, _continue });
    names.push(...page.items.map((item) => item.metadata.name));
    _continue = page.metadata._continue ?? '';
  }
  assert.deepEqual(names, [0, 1, 2, 3, 4, 5, 6].map((i) => `page-${i}`));
}

async function customObjects(config) {
  const definitions = config.makeApiClient(k8s.ApiextensionsV1Api);
  const custom = config.makeApiClient(k8s.CustomObjectsApi);
  const group = 'example.com';
  const schema = {
    openAPIV3Schema: { type: 'object', x_kubernetes_preserve_unknown_fields: true },
  };
  await definitions.createCustomResourceDefinition({ body: {
    metadata: { name: `boats.${group}` },
    spec: {
      group, scope: 'Namespaced', names: { plural: 'boats', singular: 'boat', kind: 'Boat' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  } });
  const boats = { group, version: 'v1', namespace, plural: 'boats' };
  const body = { apiVersion: 'example.com/v1', kind: 'Boat', metadata: { name: 'ida' }, length: 7 };
  const list = () => custom.listNamespacedCustomObject(boats);
  await eventually('the kind is served', () => list().catch(() => null));
  await custom.createNamespacedCustomObject({ ...boats, body });
  const patched = await custom.patchNamespacedCustomObject(
    { ...boats, name: 'ida', body: { length: 8 } }, as(k8s.PatchStrategy.MergePatch));
  assert.equal(patched.length, 8);
  await custom.deleteNamespacedCustomObject({ ...boats, name: 'ida' });
  assert.equal((await list()).items.length, 0);
}

// All that an informer told.
class Seen {
  constructor(informer) {
    this.informer = informer;
    this.added = new Set();
    this.deleted = new Set();
    informer.on('add', (object) => this.added.add(object.metadata.name));
    informer.on('delete', (object) => this.deleted.add(object.metadata.name));
    informer.on('error', () => this.startAgain());
  }

  // As its documentation says, an informer has to be started again after an error.
  startAgain() {
    setTimeout(() => this.informer.start().catch(() => this.startAgain()), 20);
  }

  versions() {
    return new Map(this.informer.list().map(
      ({ metadata }) => [metadata.name, metadata.resourceVersion]));
  }
}

async function informers(config, core, server) {
  const labelSelector = 'test=informer';
  const list = () => core.listNamespacedConfigMap({ namespace, labelSelector });
  const seen = new Seen(k8s.makeInformer(
    config, `/api/v1/namespaces/${namespace}/configmaps`, list, labelSelector));
  const create = (name) => core.createNamespacedConfigMap(
    { namespace, body: configMap(name, {}, { labels: { test: 'informer' } }) });

  await create('before');
  await seen.informer.start();
  await eventually('the informer has what was there', () => seen.added.has('before'));
  for (let round = 0; round < 3; ++round) {
    for (let i = 0; i < 5; ++i) await create(`r${round}-${i}`);
    await server.kill();
    await server.start();
    await core.deleteNamespacedConfigMap({ namespace, name: `r${round}-0` });
    await create(`r${round}-after`);
    await eventually('the informer is on', () => seen.added.has(`r${round}-after`));
    await eventually('the informer saw the deletion', () => seen.deleted.has(`r${round}-0`));
    const { items } = await list();
    for (const { metadata } of items) {
      assert.ok(seen.added.has(metadata.name), `${metadata.name} was missed`);
      assert.equal(seen.versions().get(metadata.name), metadata.resourceVersion);
    }
    assert.equal(seen.versions().size, items.length);
  }
  await seen.informer.stop();
}

const server = new Server(kubexms, temporaryDirectory());
await server.start();
const config = new k8s.KubeConfig();
config.loadFromFile(server.kubeconfig);
const core = config.makeApiClient(k8s.CoreV1Api);
await typedCalls(core);
await secretsAreBytes(core);
await serverSideApply(core);
await pages(core);
await customObjects(config);
await informers(config, core, server);
console.log('all passed');
process.exit(0);
