import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { takeFreePort } from '../../dev/system/ports.ts';
import { isHttpUp } from '../../dev/system/probes.ts';
import { ENTRIES, loaderArguments } from '../../dev/service.ts';
import type { Stack } from '../../dev/stack.ts';
import { createCustomer, eventually, openDatabase } from '../harness/customer.ts';
import { assertInvariants } from '../harness/invariants.ts';
import { isolatedServers } from '../servers.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const API_ENDS_WITHIN_MS = 20_000;
const WORKER_ENDS_WITHIN_MS = 40_000;

/** A process of the service as a supervisor sees it: what it wrote, and how it ended. */
interface Run {
  child: ChildProcess;
  output(): string;
  exited: Promise<number | null>;
}

describe('the service under its supervisor', () => {
  let stack: Stack;
  const runs: Run[] = [];

  before(async () => {
    stack = await isolatedServers();
  });
  after(async () => {
    for (const { child } of runs) child.kill('SIGKILL');
    await Promise.all(runs.map(({ exited }) => exited));
  });

  function run(entry: string, environment: Record<string, string>): Run {
    const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], ...environment };
    const child = spawn(process.execPath, [...loaderArguments(entry), entry], { cwd: ROOT, env });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => void (text += chunk));
    }
    const exited = once(child, 'close').then(([code]) => code as number | null);
    const one = { child, exited, output: () => text };
    runs.push(one);
    return one;
  }
  const startApi = async (port: number) => {
    const ports = { HOST: '127.0.0.1', PORT: String(port), METRICS_PORT: '0' };
    const api = run(ENTRIES.api, { ...stack.environment, ...ports });
    const isUp = async () => await isHttpUp(`http://127.0.0.1:${port}/ready`);
    await eventually('the API serves', isUp);
    return api;
  };
  const startWorker = async () => {
    const worker = run(ENTRIES.worker, { ...stack.environment, METRICS_PORT: '0' });
    await eventually('the worker polls', async () => worker.output().includes('"polling"'));
    return worker;
  };
  /** Sends SIGTERM, and returns the exit code and the duration. */
  const terminate = async ({ child, exited, output }: Run, withinMs: number) => {
    const startedAt = performance.now();
    child.kill('SIGTERM');
    assert.equal(await exited, 0, output().slice(-2_000));
    const ms = performance.now() - startedAt;
    assert.ok(ms < withinMs, `it took ${Math.round(ms)} ms`);
  };

  /** How often the store was asked so about a file. */
  const countOf = (operation: string, fileId: string) =>
    stack.cloud?.double
      .requests()
      .filter((made) => made.operation === operation && made.key?.includes(fileId)).length ?? 0;

  it('finishes a call that was sent before the SIGTERM, and is not ready for others', async () => {
    const port = await takeFreePort();
    const api = await startApi(port);
    const url = `http://127.0.0.1:${port}`;
    const customer = await createCustomer(stack, url, ['aws']);
    const { fileId } = await customer.init({ priority: 'cold' });
    const looks = { operation: 'HeadObject', key: `*${fileId}*` };
    stack.cloud?.double.addFault({ effect: 'latency', latencyMs: 2_000, ...looks, times: 1 });
    const slow = customer.complete(fileId);
    await eventually('the store is asked', async () => countOf(looks.operation, fileId) > 0);
    const ended = terminate(api, API_ENDS_WITHIN_MS);
    const readiness = async () => (await fetch(`${url}/ready`).catch(() => undefined))?.status;
    await eventually('it is not ready', async () => (await readiness()) === 503);
    await ended;
    const answer = await slow;
    assert.equal(answer.body['code'], 'file_not_on_provider', answer.text);
  });

  it('lets a worker finish the step it is at before it ends', async () => {
    const port = await takeFreePort();
    await startApi(port);
    const worker = await startWorker();
    const database = await openDatabase(stack);
    const customer = await createCustomer(stack, `http://127.0.0.1:${port}`, ['aws']);
    const { fileId } = await customer.send({ priority: 'cold' });
    assert.equal((await customer.complete(fileId)).status, 200);
    const double = stack.cloud?.double;
    const deletes = { operation: 'DeleteObject', key: `*${fileId}*` };
    // The API and the first attempt of the workflow are refused; the third is the activity's.
    double?.addFault({ effect: 'internal_error', ...deletes, times: 2 });
    double?.addFault({ effect: 'latency', latencyMs: 4_000, ...deletes, times: 1 });
    assert.equal((await customer.delete(fileId)).status, 202);
    const isAgain = async () => countOf(deletes.operation, fileId) === 3;
    await eventually('the worker deletes the object', isAgain);
    await terminate(worker, WORKER_ENDS_WITHIN_MS);
    const [file] = await database.read('files', { _id: fileId });
    await database.close();
    assert.equal(file?.status, 'deleted');
    assert.match(worker.output(), /"stopped"/);
  });

  it('lets a worker wait for Temporal, and ends it at once on SIGTERM', async () => {
    const unreachable = `127.0.0.1:${await takeFreePort()}`;
    const environment = { ...stack.environment, METRICS_PORT: '0', TEMPORAL_ADDRESS: unreachable };
    const early = run(ENTRIES.worker, environment);
    const triesOf = () => early.output().split('cannot connect to Temporal').length - 1;
    await eventually('it tries again', async () => triesOf() >= 2);
    assert.equal(early.child.exitCode, null);
    await terminate(early, 10_000);
  });

  for (const [name, also] of [
    ['api', 'KEY_MODE'],
    ['worker', 'WORKER_QUEUES'],
  ] as const)
    it(`names everything that is wrong with the environment of the ${name}, and starts nothing`, async () => {
      const broken = { MONGODB_URI: 'postgres://elsewhere', LOG_LEVEL: 'loud', [also]: 'wrong' };
      const { exited, output } = run(ENTRIES[name], { ...broken, CREDENTIAL_KEYS: 'k1:short' });
      assert.equal(await exited, 1, output());
      for (const variable of Object.keys(broken))
        assert.match(output(), new RegExp(`^\\s*- ${variable} `, 'm'));
      assert.doesNotMatch(output(), /\.[jt]s:\d+|node:internal|k1:short/, 'a stack, or a key');
    });

  it('leaves every invariant intact', async () => {
    await assertInvariants({
      stack,
      service: {
        apis: [],
        workers: runs.map(({ output }) => ({ readLog: () => Promise.resolve(output()) })),
      },
    });
  });
});
