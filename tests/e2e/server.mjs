// A kubexms server and an etcd as child processes, for the tests in this folder that are programs.

import { spawn } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';

// Ends the test with a message; what was started ends with it.
export function fail(message) {
  console.error(`FAILED: ${message}`);
  process.exit(1);
}

// Wrong input and unexpected rejections end the test, too.
process.on('unhandledRejection', (error) => fail(error?.stack ?? error));

// Tries again and again, for 30 seconds, until `condition` returns a value that is true.
export async function eventually(what, condition) {
  const deadline = Date.now() + 30_000;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > deadline) fail(`not within 30 s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export function temporaryDirectory() {
  const directory = mkdtempSync(path.join(os.tmpdir(), 'kubexms-e2e-'));
  process.on('exit', () => rmSync(directory, { recursive: true, force: true, maxRetries: 3 }));
  return directory;
}

async function unusedPort() {
  const listener = net.createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => listener.once('listening', resolve));
  const { port } = listener.address();
  await new Promise((resolve) => listener.close(resolve));
  return port;
}

// A child process that never outlives this one.
class Process {
  constructor(command, args, log) {
    this.child = spawn(command, args, { stdio: ['ignore', 'ignore', openSync(log, 'a')] });
    this.log = log;
    this.exited = new Promise((resolve) => this.child.once('exit', resolve));
    this.killChild = () => this.child.kill('SIGKILL');
    process.on('exit', this.killChild);
  }

  get running() {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  // Its exit code; null when the signal ended it.
  async end(signal) {
    this.child.kill(signal);
    const code = await this.exited;
    process.off('exit', this.killChild);
    return code;
  }
}

export async function startEtcd(directory) {
  const [client, peer] = [await unusedPort(), await unusedPort()];
  const url = (port) => `http://127.0.0.1:${port}`;
  const etcd = new Process('etcd', [
    '--name=m0', `--data-dir=${directory}/etcd`, '--log-level=error', '--logger=zap',
    `--listen-client-urls=${url(client)}`, `--advertise-client-urls=${url(client)}`,
    `--listen-peer-urls=${url(peer)}`, `--initial-advertise-peer-urls=${url(peer)}`,
    `--initial-cluster=m0=${url(peer)}`,
  ], path.join(directory, 'etcd.log'));
  await eventually('etcd is healthy', () => new Promise((resolve) => {
    http.get(`${url(client)}/health`, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    }).on('error', () => resolve(false));
  }));
  return { endpoint: `127.0.0.1:${client}`, process: etcd };
}

export class Server {
  // `flags` are further ones for `kubexms server`.
  constructor(kubexms, directory, flags = []) {
    this.kubexms = kubexms;
    this.directory = directory;
    this.flags = flags;
  }

  get kubeconfig() {
    return path.join(this.directory, 'data/admin.kubeconfig');
  }

  // Returns when it is ready. Started again, it has the same port and data.
  async start() {
    const log = path.join(this.directory, 'server.log');
    this.process = new Process(this.kubexms, [
      'server', `--data-dir=${this.directory}/data`, `--bind=127.0.0.1:${this.port ?? 0}`,
      ...this.flags,
    ], log);
    await eventually('the server is ready', async () => {
      if (!this.process.running) fail(`the server does not start:\n${readFileSync(log, 'utf8')}`);
      return this.isReady();
    });
  }

  async isReady() {
    try {
      this.port ??= /https:\/\/127.0.0.1:(\d+)/.exec(readFileSync(this.kubeconfig, 'utf8'))[1];
      this.agent ??= this.makeAgent();
      return (await this.request('GET', '/readyz')).status === 200;
    } catch {
      return false;
    }
  }

  makeAgent() {
    const read = (name) => readFileSync(path.join(this.directory, 'data/pki', name));
    return new https.Agent({
      keepAlive: true, ca: read('ca.crt'), cert: read('admin.crt'), key: read('admin.key'),
    });
  }

  kill() {
    return this.process.end('SIGKILL');
  }

  // What the administrator gets; rejected when the connection ends before the answer does.
  request(method, target, body, type = 'application/json') {
    return new Promise((resolve, reject) => {
      const request = this.open(method, target, type, (response) => {
        const chunks = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          const isJson = response.headers['content-type'] === 'application/json';
          resolve({ status: response.statusCode, body: isJson ? JSON.parse(text) : text });
        });
      });
      request.on('error', reject);
      request.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  // The events of a watch, one by one to `onEvent`; returns when the stream ends, however it does.
  watch(target, onEvent) {
    return new Promise((resolve) => {
      const request = this.open('GET', target, 'application/json', (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk) => {
          const lines = (text + chunk).split('\n');
          text = lines.pop();
          for (const line of lines) onEvent(JSON.parse(line));
        });
        response.on('error', () => {});
        response.on('close', () => resolve(response.statusCode));
      });
      request.on('error', () => resolve(undefined));
      request.end();
    });
  }

  open(method, path_, type, onResponse) {
    return https.request({
      host: '127.0.0.1', port: this.port, method, path: path_, agent: this.agent,
      headers: { 'Content-Type': type },
    }, onResponse);
  }
}
