import { loadavg } from 'node:os';
import process from 'node:process';
import { Client, Connection } from '@temporalio/client';
import { createDataConverter } from '../adapters/temporal/payload-codec.ts';
import { createPayloadCodec } from '../adapters/temporal/payload-codec.ts';
import { silentProgress } from '../dev/system/progress.ts';
import { startService } from '../dev/service.ts';
import { startStack, type Stack } from '../dev/stack.ts';
import { readConfig } from '../config/environment.ts';
import { readTemporal } from '../config/shared.ts';
import { measureMe, measureParts, timeCompleteAlone } from './uploads/alone.ts';
import { compare, compareAtPace, createPool } from './uploads/comparison.ts';
import { startFloor, type FloorTarget } from './uploads/floor.ts';
import { measureLives, reportActions, WINDOW } from './uploads/lives.ts';
import { list, say } from './uploads/report.ts';
import { measureStarts } from './uploads/starts.ts';
import { createServiceTarget, type ServiceTarget } from './uploads/targets.ts';

/**
 * `npm run bench:uploads [part…]`: complete, delete and init under load next to the least that an API
 * could do for each (the floor), the processor time of a whole upload, and what it leaves in Temporal.
 * It knows the service only by its HTTP API, its processes and the histories of its workflows.
 * `ROUNDS` names how often each is measured.
 */
const ROUNDS = Number(process.env['ROUNDS'] || 3);
const LOADED = ['complete', 'delete', 'init'] as const;
const PARTS = [...LOADED, 'alone', 'parts', 'me', 'starts', 'actions', 'lives'] as const;

interface Bench {
  readonly stack: Stack;
  readonly ours: ServiceTarget;
  readonly floor: FloorTarget;
  readonly addCustomer: () => Promise<ServiceTarget>;
}

/** Each with its own servers, so that a part does not depend on the parts before it. */
async function withBench(
  environment: Readonly<Record<string, string>>,
  work: (bench: Bench) => Promise<void>,
): Promise<void> {
  const stack = await startStack({ progress: silentProgress });
  try {
    const service = await startService(stack, {
      environment: { DEFAULT_PLAN: 'enterprise', LOG_LEVEL: 'warn', ...environment },
    });
    const [ours, floor] = [await createServiceTarget(stack, service), await startFloor(stack)];
    const addCustomer = () => createServiceTarget(stack, service);
    await work({ stack, ours, floor, addCustomer });
  } finally {
    // Its processes, the service's and the floor's among them.
    await stack.stop();
  }
}

async function measureCalls(chosen: ReadonlySet<string>, { ours, floor }: Bench): Promise<void> {
  const loaded = LOADED.filter((call) => chosen.has(call));
  if (chosen.has('alone')) await timeCompleteAlone(ours, floor, ROUNDS);
  if (loaded.length > 0) {
    const pools = [await createPool(ours), await createPool(floor)] as const;
    for (const call of loaded) await compare(call, pools, ROUNDS);
    if (chosen.has('init')) await compareAtPace(pools, ROUNDS);
  }
  if (chosen.has('parts')) await measureParts(ours, ROUNDS);
  if (chosen.has('me')) await measureMe(ours, ROUNDS);
}

async function withTemporal(stack: Stack, work: (client: Client) => Promise<void>): Promise<void> {
  const connection = await Connection.connect({
    address: stack.environment['TEMPORAL_ADDRESS'] ?? '',
  });
  // The service's processes have this process's environment.
  const keys = readConfig(process.env, (from) => readTemporal(from).payloadKeys);
  const dataConverter = createDataConverter(createPayloadCodec(keys), keys.encrypts);
  try {
    await work(new Client({ connection, dataConverter }));
  } finally {
    await connection.close();
  }
}

async function measureWholeLives(
  chosen: ReadonlySet<string>,
  { stack, ours, floor }: Bench,
): Promise<void> {
  await withTemporal(stack, async (client) => {
    // It warms up what the processor time is measured of.
    await reportActions({ ours, floor, client, rounds: ROUNDS });
    if (chosen.has('lives')) await measureLives({ ours, floor, client, rounds: ROUNDS });
  });
}

const named = process.argv.slice(2);
const unknown = named.filter((name) => !PARTS.some((part) => part === name));
if (unknown.length > 0) {
  say(`There is no part ${unknown.join(', ')}; there are ${PARTS.join(', ')}.`);
  process.exit(1);
}
const chosen = new Set<string>(named.length > 0 ? named : PARTS);
const startedAt = performance.now();
const isChosen = (...parts: readonly string[]) => parts.some((part) => chosen.has(part));
say(`load of the machine before the start: ${list(loadavg())}; medians of ${ROUNDS} rounds`);
if (isChosen(...LOADED, 'alone', 'parts', 'me'))
  await withBench({}, (bench) => measureCalls(chosen, bench));
if (isChosen('starts'))
  await withBench({}, async ({ stack, ours, addCustomer }) => {
    const customers = [ours, await addCustomer(), await addCustomer()];
    const { temporal } = stack;
    if (!temporal) throw new Error('Temporal must be started by this run');
    await withTemporal(stack, (client) => measureStarts(customers, temporal, client));
  });
if (isChosen('actions', 'lives'))
  await withBench(WINDOW, (bench) => measureWholeLives(chosen, bench));
say('');
say(`took ${Math.round((performance.now() - startedAt) / 1000)} s`);
process.exit(0);
