import { setTimeout as wait } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { ProcessHandle } from '../../dev/system/processes.ts';
import { repeat } from './load.ts';
import { say, short } from './report.ts';
import type { ServiceTarget } from './targets.ts';

const FILES = 4_000;
const POLL_MS = 250;
const WITHIN_MS = 180_000;
const UPLOADS = 'WorkflowId STARTS_WITH "upload/"';

/** Prints how fast the sweep starts the workflows of files that were announced while Temporal was away. */
export async function measureStarts(
  customers: readonly ServiceTarget[],
  temporal: ProcessHandle,
  { workflow }: Client,
): Promise<void> {
  const count = async () => (await workflow.count(UPLOADS)).count;
  const before = await count();
  await temporal.pause();
  let next = 0;
  let refused = 0;
  try {
    await repeat(FILES, async () => {
      next = (next + 1) % customers.length;
      const reply = await customers[next]?.init();
      if (reply?.status !== 201) refused += 1;
    });
  } finally {
    temporal.resume();
  }
  const until = performance.now() + WITHIN_MS;
  const seen: { readonly atMs: number; readonly started: number }[] = [];
  for (let started = 0; started < FILES - refused && performance.now() < until;) {
    await wait(POLL_MS);
    started = (await count()) - before;
    seen.push({ atMs: performance.now(), started });
  }
  const first = seen.findLast(({ started }) => started === 0);
  const last = seen.at(-1);
  const perMinute = first && last ? (last.started / (last.atMs - first.atMs)) * 60_000 : Number.NaN;
  say('');
  say(
    `starts made up for, ${FILES} files of ${customers.length} accounts, ${refused} inits refused`,
  );
  say(`  per minute: ${short(perMinute)}, at least 10,000; started: ${last?.started ?? 0}`);
}
