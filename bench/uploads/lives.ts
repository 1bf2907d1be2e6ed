import { setTimeout as wait } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { uploadWorkflowId } from '../../messages/names.ts';
import { readLife, type LifeCost } from '../../test/harness/actions.ts';
import { medianCpu } from './comparison.ts';
import { median, toRatios, repeat } from './load.ts';
import {
  mapCpu,
  measureIdle,
  readCpu,
  subtract,
  sumCpu,
  untilQuiet,
  type CpuMs,
} from './processor-time.ts';
import { list, say, short, showCpu, showOthers, showRatio } from './report.ts';
import type { Target } from './targets.ts';

/**
 * The window of each upload: it closes some seconds after the last call of a round, so that the work
 * at its end does not mix with the calls.
 */
export const WINDOW = { UPLOAD_URL_SECONDS: '9', UPLOAD_GRACE_SECONDS: '2' };

const KINDS = ['completed', 'deleted'] as const;
type Kind = (typeof KINDS)[number];

const LIVES = 80;
const WARM_UP_LIVES = 48;
/** Their histories are read. */
const SAMPLE = 12;
const IDLE_SECONDS = 12;
const END_WITHIN_MS = 120_000;
const POLL_MS = 500;
/** MongoDB and the store are printed beside the sum: in development they are doubles. */
const SUMMED = ['API', 'worker', 'floor', 'Temporal'];
const MOST_ACTIONS: Readonly<Record<Kind, number>> = { completed: 3, deleted: 4 };

export interface LivesOptions {
  readonly ours: Target;
  readonly floor: Target;
  readonly client: Client;
  readonly rounds: number;
}

/** Prints what one upload leaves in Temporal, from its start to the end of its workflow. */
export async function reportActions({ ours, client }: LivesOptions): Promise<void> {
  const files = new Map<Kind, string[]>();
  for (const kind of KINDS) files.set(kind, await live(ours, kind, WARM_UP_LIVES));
  await untilClosed(client);
  say('');
  say(`Temporal per upload, of ${SAMPLE} uploads each`);
  for (const kind of KINDS) {
    const costs: LifeCost[] = [];
    for (const fileId of (files.get(kind) ?? []).slice(0, SAMPLE))
      costs.push(await readLife(client, uploadWorkflowId(fileId)));
    const show = (value: (cost: LifeCost) => number) => {
      const values = costs.map(value);
      return `${median(values)} (${Math.min(...values)} to ${Math.max(...values)})`;
    };
    const usual = costs.find(({ actions }) => actions === median(costs.map((c) => c.actions)));
    const kinds = [...(usual?.kinds ?? [])].filter(([, count]) => count > 0);
    say(
      `  ${kind}: events ${show((c) => c.events)}, runs ${show((c) => c.runs)}, ` +
        `actions ${show((c) => c.actions)}, at most ${MOST_ACTIONS[kind]}: ` +
        kinds.map(([what, count]) => `${count} ${what}`).join(', '),
    );
  }
}

/** Prints the processor time of an upload, from its start to the end of its workflow. */
export async function measureLives({ ours, floor, client, rounds }: LivesOptions): Promise<void> {
  await repeat(WARM_UP_LIVES, async () => void (await liveOnce(floor, 'deleted')));
  const idle = await measureIdle(ours.processes, IDLE_SECONDS);
  say('');
  say(`CPU ms per upload, from init to the end of its workflow, ${LIVES} uploads a round`);
  say(`  idle, ms per second: ${showCpu(idle)}`);
  const measured = new Map(
    KINDS.map((kind) => [kind, { ours: [] as Life[], floor: [] as Life[] }]),
  );
  for (let round = 0; round < rounds; round += 1)
    for (const [kind, lives] of measured) {
      lives.ours.push(await measureLife(ours, kind, idle, () => untilClosed(client)));
      lives.floor.push(await measureLife(floor, kind, idle, async () => {}));
    }
  for (const [kind, lives] of measured) reportLife(kind, lives.ours, lives.floor);
}

interface Life {
  readonly gross: CpuMs;
  readonly net: CpuMs;
  readonly spanSeconds: number;
}

async function measureLife(
  target: Target,
  kind: Kind,
  idle: CpuMs,
  untilEnd: () => Promise<void>,
): Promise<Life> {
  await untilQuiet(target.processes);
  const startedAt = performance.now();
  const before = readCpu(target.processes);
  await live(target, kind, LIVES);
  await untilEnd();
  await untilQuiet(target.processes);
  const spanSeconds = (performance.now() - startedAt) / 1000;
  const used = subtract(readCpu(target.processes), before);
  return {
    gross: mapCpu(used, (ms) => ms / LIVES),
    net: mapCpu(used, (ms, name) => (ms - (idle[name] ?? 0) * spanSeconds) / LIVES),
    spanSeconds,
  };
}

function reportLife(kind: Kind, ours: readonly Life[], floor: readonly Life[]): void {
  const sums = ours.map(({ net }) => sumCpu(net, SUMMED));
  const floorSums = floor.map(({ net }) => sumCpu(net, SUMMED));
  const sum = median(sums);
  const gross = medianCpu(ours.map((life) => life.gross));
  const span = median(ours.map(({ spanSeconds }) => spanSeconds));
  say(`  ${kind}: ${short(sum)} over API, worker and Temporal (${list(sums)})`);
  say(`    ours : ${showCpu(medianCpu(ours.map(({ net }) => net)))}`);
  say(`    idle included: ${showCpu(gross)}; over ${short(span)} s`);
  say(
    `    floor, without an end of its workflow: ${showCpu(medianCpu(floor.map(({ net }) => net)))}`,
  );
  say(
    `    ratio to the floor, over API, worker and Temporal: ${showRatio(toRatios(sums, floorSums))} ` +
      `(at most a third of the ratio with complete and delete as Updates)`,
  );
}

/** Lives that many uploads; their ids. */
async function live(target: Target, kind: Kind, count: number): Promise<string[]> {
  const fileIds: string[] = [];
  const others = new Map<number, number>();
  await repeat(count, async () => {
    const { fileId, status } = await liveOnce(target, kind);
    fileIds.push(fileId);
    if (status !== 200) others.set(status, (others.get(status) ?? 0) + 1);
  });
  if (others.size > 0) say(`  other answers, ${target.name}, ${kind}: ${showOthers(others)}`);
  return fileIds;
}

async function liveOnce(target: Target, kind: Kind): Promise<{ fileId: string; status: number }> {
  const fileId = await target.seed();
  const { status } = await target.complete(fileId);
  if (kind === 'completed' || status !== 200) return { fileId, status };
  return { fileId, status: (await target.delete(fileId)).status };
}

/** Until no upload's workflow is open, at two looks in a row: visibility lags behind a start. */
async function untilClosed({ workflow }: Client): Promise<void> {
  const query = `WorkflowId STARTS_WITH "upload/" AND ExecutionStatus = "Running"`;
  const until = performance.now() + END_WITHIN_MS;
  let closedLooks = 0;
  while (closedLooks < 2) {
    if (performance.now() > until) throw new Error('the workflows of the uploads did not end');
    await wait(POLL_MS);
    const { count } = await workflow.count(query);
    closedLooks = count === 0 ? closedLooks + 1 : 0;
  }
}
