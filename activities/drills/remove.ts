import { hash } from 'node:crypto';
import { runConcurrently } from '../../adapters/object-store/adaptive-concurrency.ts';
import { isPlaceGone } from '../../adapters/object-store/account-stores.ts';
import { StoreError } from '../../adapters/object-store/errors.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import { describeActivity } from '../../domain/accounts/activity.ts';
import { certificateHead, certificateJson } from '../../domain/drills/certificate.ts';
import {
  drillPrefix,
  REMOVE_SECONDS,
  summarize,
  type DrillRecord,
  type Sampled,
} from '../../domain/drills/drill.ts';
import type { MigrationError } from '../../domain/migrations/migration.ts';
import { OLD_DELETE_SETTLES_SECONDS } from '../../domain/relocations/relocation.ts';
import { completedDrill } from '../../domain/webhooks/event.ts';
import { readDrillLines } from '../../operations/drills/drills.ts';
import type { MigrationContext } from '../contexts.ts';
import { abortNoted } from '../migrations/end.ts';

const DELETES_AT_ONCE = 16;
const TRY_AGAIN_MS = 15_000;
const MAX_LEFT = 100;

/**
 * Removes everything below the drill's prefix at the target, and ends the drill. What the target
 * does not delete within an hour is named by the end.
 *
 * @returns how long to wait before it is tried again
 */
export async function remove(context: MigrationContext, drill: DrillRecord): Promise<number> {
  const { accounts, stores, manifests, progress, now } = context;
  const { accountId, to, sampled } = drill;
  const sinceMs = (drill.removingSince ?? now()).getTime();
  const ageMs = () => now().getTime() - sinceMs;
  // Nothing is written before the sample is stored.
  if (!sampled) return await end(context, drill, []);
  await manifests.close(sampled.manifestId, now(), () => progress.report());
  const account = await accounts.findAccount(accountId);
  const isOverdue = () => ageMs() >= REMOVE_SECONDS * 1000;
  let left: readonly string[];
  try {
    const target = account && (await stores.at(account, to));
    left = target ? await removeAll(context, drill, target) : [drillPrefix(drill)];
  } catch (error) {
    if (isPlaceGone(error)) return await end(context, drill, [drillPrefix(drill)]);
    if (!(error instanceof StoreError)) throw error;
    if (!isOverdue()) return TRY_AGAIN_MS;
    left = [drillPrefix(drill)];
  }
  if (left.length > 0 && !isOverdue()) return TRY_AGAIN_MS;
  // A worker that was presumed dead may have sent an object that has not arrived yet.
  const settlesMs = OLD_DELETE_SETTLES_SECONDS * 1000 - ageMs();
  if (settlesMs > 0 && (await mayArrive(context, sampled))) return settlesMs;
  return await end(context, drill, left);
}

/** @returns the keys that the target keeps. @throws StoreError */
async function removeAll(
  context: MigrationContext,
  drill: DrillRecord,
  target: ObjectStore,
): Promise<readonly string[]> {
  const signal = context.slices.signal();
  const prefix = drillPrefix(drill);
  // A target that refuses to abort an upload may delete an object.
  const refusal = await abortAll(context, drill, target).then(() => undefined, ifStore);
  for (;;) {
    const { entries } = await target.list({ prefix, after: null }, { signal });
    if (entries.length === 0 && refusal) throw refusal;
    if (entries.length === 0) return [];
    const kept: string[] = [];
    const waiting = entries.values();
    await runConcurrently({ limit: () => DELETES_AT_ONCE }, () => {
      const next = waiting.next().value;
      if (!next) return undefined;
      return async () => {
        await target.delete(next.key, { signal }).catch((error: unknown) => {
          if (!(error instanceof StoreError)) throw error;
          kept.push(next.key);
        });
        context.progress.report();
      };
    });
    if (kept.length === entries.length) return kept;
  }
}

/** Every key there is the drill's: an upload is aborted whether it was noted or not. */
async function abortAll(
  context: MigrationContext,
  drill: DrillRecord,
  target: ObjectStore,
): Promise<void> {
  await abortNoted(context, drill.drillId, target);
  try {
    for await (const { key, uploadId } of target.uploads(drillPrefix(drill)))
      await target.abortUpload(key, uploadId);
  } catch (error) {
    // Not every store lists its uploads; the noted ones are aborted.
    if (ifStore(error).isTransient) throw error;
  }
}

function ifStore(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  throw error;
}

/** Whether an object was named for a write whose outcome no line tells. */
async function mayArrive(
  { ledger }: MigrationContext,
  { manifestId, pages }: Sampled,
): Promise<boolean> {
  for (let page = 0; page < pages; page += 1) {
    const { named, lines } = await ledger.ofPage(manifestId, page);
    if ([...named].some((place) => !lines.has(place))) return true;
  }
  return false;
}

/** Ends the drill with its certificate. */
async function end(
  { drills, manifests, now }: MigrationContext,
  drill: DrillRecord,
  left: readonly string[],
): Promise<0> {
  const { drillId, accountId, stopping, requestId } = drill;
  const lines = [];
  for await (const page of readDrillLines(manifests, drill)) lines.push(...page);
  const results = summarize(lines, drill);
  const completedAt = now();
  const removed = left.length === 0;
  const ended = {
    status: stopping?.status ?? (removed ? ('completed' as const) : ('failed' as const)),
    error: stopping?.error ?? (removed ? null : notRemoved(left)),
    results,
    removed,
    left: left.slice(0, MAX_LEFT),
    completedAt,
  };
  const latest = { ...drill, ...ended };
  const head = certificateHead(latest, results);
  const certificateSha256 = hash('sha256', certificateJson(head, lines));
  const person = { subject: drill.startedBy, name: drill.startedByName };
  const actor = { accountId, person, requestId };
  await drills.end(
    drillId,
    { ...ended, certificateHead: head, certificateSha256 },
    { ...describeActivity(actor, 'drill.completed', drillId, completedAt), certificateSha256 },
    [completedDrill(latest, certificateSha256, completedAt)],
  );
  return 0;
}

function notRemoved(left: readonly string[]): MigrationError {
  const named = left.slice(0, 3).join(', ');
  const more = left.length > 3 ? ` and ${left.length - 3} more` : '';
  return {
    code: 'provider_error',
    message: `The target has not deleted ${named}${more}. Delete them yourself.`,
  };
}
