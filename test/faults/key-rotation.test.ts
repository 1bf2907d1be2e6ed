import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { ServiceProcess } from '../../dev/service.ts';
import { toCredentials } from '../../dev/first-account.ts';
import { startBalancer, type Balancer } from '../harness/balancer.ts';
import { call, createCustomer, type Customer } from '../harness/customer.ts';
import { createLeanClient } from '../harness/lean-client.ts';
import { keepCalling, requireKept } from '../harness/steady-calls.ts';
import { startIsolatedService, type IsolatedService } from '../servers.ts';
import { readText, ROOT } from '../unit/deployment/compose.ts';

const run = promisify(execFile);
const LOAD = { callers: 40, callsPerSecond: 100 };
/** So few that each is used more often than a server that drains waits, also where it answers half as many calls. */
const CONNECTIONS = 16;
/** Long enough for calls to processes with different keys. */
const BETWEEN_RESTARTS_MS = 1_000;
const LACKS = 'CREDENTIAL_KEYS of this process lacks';

/** The keys of each step in `docs/operations.md`, in its order. */
function documentedSteps(): readonly string[] {
  const [, section = ''] = readText('docs/operations.md').split(
    '### The key that seals credentials\n',
  );
  const [steps = ''] = section.split('\n### ');
  const keys = new Map(['k1', 'k2'].map((id) => [id, randomBytes(32).toString('base64')]));
  return [...steps.matchAll(/^\d+\. `CREDENTIAL_KEYS=([^`]+)`/gm)].map(([, value = '']) =>
    value.replaceAll(/(k\d):…/g, (_whole, id: string) => `${id}:${keys.get(id)}`),
  );
}

describe('three rolling restarts of two API processes and two workers, by which the key that seals credentials is replaced as documented,', function () {
  this.timeout(300_000);
  const [known = '', used = '', alone = ''] = documentedSteps();
  const before_ = known.split(',').find((key) => key !== alone) ?? '';
  let folder: string;
  let isolated: IsolatedService;
  let balancer: Balancer;
  let customer: Customer;
  let client: ReturnType<typeof createLeanClient>;
  let file: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rotation-'));
    file = join(folder, 'credential_keys');
    await writeFile(file, before_);
    isolated = await startIsolatedService({
      apiCount: 2,
      workerCount: 2,
      environment: {
        LOG_LEVEL: 'warn',
        DEFAULT_PLAN: 'enterprise',
        WORKER_QUEUES: 'uploads',
        CREDENTIAL_KEYS: '',
        CREDENTIAL_KEYS_FILE: file,
      },
    });
    balancer = await startBalancer(isolated.service.apis.map(({ url }) => url));
    customer = await createCustomer(isolated.stack, balancer.url, ['r2', 'aws']);
    client = createLeanClient(customer, CONNECTIONS);
  });
  after(async () => {
    client?.close();
    await balancer?.close();
    await isolated?.service.stop();
    if (folder) await rm(folder, { recursive: true });
  });

  /** Saves credentials at this process, which seals them. */
  async function save({ url }: ServiceProcess): Promise<void> {
    const body = toCredentials('r2', isolated.stack.environment);
    const { status, text } = await call(url, 'POST /v1/providers', {
      bearer: customer.token,
      body,
    });
    assert.equal(status, 200, text);
  }

  /** One process after the other; what the newest one seals is opened by those that wait for their turn. */
  async function restartWith(keys: string): Promise<void> {
    await writeFile(file, keys);
    const { apis, workers } = isolated.service;
    for (const [at, api] of apis.entries()) {
      await Promise.all(
        [api, ...workers.slice(at, at + 1)].map(async (one) => {
          await one.stop();
          await one.restart();
        }),
      );
      await save(api);
      await wait(BETWEEN_RESTARTS_MS);
    }
  }

  async function reseal(): Promise<string> {
    const environment = { ...process.env, ...isolated.stack.environment };
    const keys = { CREDENTIAL_KEYS: '', CREDENTIAL_KEYS_FILE: file, LOG_LEVEL: 'info' };
    const settings = { cwd: ROOT, env: { ...environment, ...keys } };
    return (await run('npm', ['run', 'reseal'], settings)).stdout;
  }

  it('refuse no call and lose no acknowledged file under 100 calls a second', async () => {
    const load = keepCalling(client.ask, LOAD);
    await restartWith(known);
    await restartWith(used);
    assert.match(await reseal(), /"resealed":[12],/);
    assert.match(await reseal(), /"resealed":0,/);
    await restartWith(alone);
    const made = await load.end();
    const { active, deleted, counts, faults, seconds } = made;
    const calls = Object.values(counts).reduce((sum, count) => sum + count, 0);
    const rate = Math.round(calls / seconds);
    process.stdout.write(`      ${rate} calls a second, ${JSON.stringify(counts)}\n`);
    assert.deepEqual(faults, []);
    assert.ok(active.size > 100 && deleted.size > 50, `${active.size} and ${deleted.size} files`);
    const { apis, workers } = isolated.service;
    for (const one of [...apis, ...workers])
      assert.ok(!(await one.readLog()).includes(LACKS), one.name);
    await requireKept(client.ask, made);
  });
});
