import { hash } from 'node:crypto';
import { runConcurrently } from '../../adapters/object-store/adaptive-concurrency.ts';
import { isPlaceGone } from '../../adapters/object-store/account-stores.ts';
import { isUnsupported, StoreError } from '../../adapters/object-store/errors.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import { describeActivity } from '../../domain/accounts/activity.ts';
import { certificateHead, certificateJson } from '../../domain/drills/certificate.ts';
import {
  addUse,
  drillPrefix,
  REMOVE_SECONDS,
  summarize,
  type DrillRecord,
  type DrillUse,
  type Sampled,
} from '../../domain/drills/drill.ts';
import type { MigrationError } from '../../domain/migrations/migration.ts';
import { compareKeys } from '../../domain/inventory/key-order.ts';
import { isMigrated } from '../../domain/migrations/object-ledger.ts';
import { OLD_DELETE_SETTLES_SECONDS } from '../../domain/relocations/relocation.ts';
import { completedDrill } from '../../domain/webhooks/event.ts';
import { readDrillLines } from '../../operations/drills/drills.ts';
import type { MigrationContext } from '../contexts.ts';
import { abortNoted } from '../migrations/end.ts';

const DELETES_AT_ONCE = 16;
const TRY_AGAIN_MS = 15_000;
const MAX_LEFT = 100;
/** Listings of what there is to delete, in one slice; each has up to 1,000 keys. */
const MAX_ROUNDS = 50;

/**
 * Removes everything below the drill's prefix at the target, and ends the drill. What the target
 * does not delete within an hour is named by the end.
 *
 * @returns how long to wait before it is tried again
 */
export async function remove(
  context: MigrationContext,
  drill: DrillRecord,
  used: DrillUse,
): Promise<number> {
  const { accounts, stores, manifests, drills, progress, now } = context;
  const { drillId, accountId, to, sampled } = drill;
  const sinceMs = (drill.removingSince ?? now()).getTime();
  const ageMs = () => now().getTime() - sinceMs;
  // Nothing is written before the sample is stored.
  if (!sampled) return await end(context, drill, used, []);
  await manifests.close(sampled.manifestId, now(), () => progress.report());
  const written = await findWritten(context, drill, sampled);
  const account = await accounts.findAccount(accountId);
  const target = account && (await stores.at(account, to).catch(ifGone));
  const known = drill.left.length > 0 ? drill.left : several(drill, written.keys);
  const left = target ? await removeAll(context, drill, target, written.keys, known) : known;
  if (left.length > 0 && target && ageMs() < REMOVE_SECONDS * 1000) {
    await drills.saveLeft(drillId, left);
    return TRY_AGAIN_MS;
  }
  // A worker that was presumed dead may have sent an object that has not arrived yet.
  const settlesMs = OLD_DELETE_SETTLES_SECONDS * 1000 - ageMs();
  if (settlesMs > 0 && written.isUnsure) return settlesMs;
  return await end(context, drill, used, left);
}

/**
 * Deletes objects first, then old versions and delete markers.
 *
 * @param known the keys that the target had before
 * @returns the keys that the target keeps, as far as is known; their prefix, if they are many
 */
async function removeAll(
  context: MigrationContext,
  drill: DrillRecord,
  target: ObjectStore,
  written: readonly string[],
  known: readonly string[],
): Promise<readonly string[]> {
  const signal = context.slices.signal();
  const prefix = drillPrefix(drill);
  let left = known;
  try {
    // A target that refuses to abort an upload may delete an object.
    const refusal = await abortAll(context, drill, target).then(() => undefined, ifStore);
    for (const list of [
      () => target.list({ prefix, after: null }, { signal }),
      () => listVersions(target, prefix, signal),
    ]) {
      for (let round = 0; ; round += 1) {
        const { entries, isTruncated } = await list();
        if (entries.length === 0) break;
        // A store may list for a while what it has deleted.
        if (round === MAX_ROUNDS)
          return several(
            drill,
            entries.map(({ key }) => key),
          );
        const kept = await deleteEach(context, target, entries);
        left = isTruncated ? [prefix] : [...new Set(kept)];
        if (kept.length === entries.length) return several(drill, left);
      }
      left = written;
    }
    left = [prefix];
    if (refusal) throw refusal;
    return [];
  } catch (error) {
    ifStore(error);
    return several(drill, left);
  }
}

function several(drill: DrillRecord, keys: readonly string[]): readonly string[] {
  return keys.length > MAX_LEFT ? [drillPrefix(drill)] : keys;
}

interface Deletable {
  readonly key: string;
  readonly versionId?: string;
}

/** @returns the keys of those that the target keeps, in order */
async function deleteEach(
  { slices, progress }: MigrationContext,
  target: ObjectStore,
  entries: readonly Deletable[],
): Promise<readonly string[]> {
  const signal = slices.signal();
  const kept: string[] = [];
  const waiting = entries.values();
  await runConcurrently({ limit: () => DELETES_AT_ONCE }, () => {
    const next = waiting.next().value;
    if (!next) return undefined;
    const { key, versionId } = next;
    return async () => {
      await target.delete(key, { signal, versionId }).catch((error: unknown) => {
        ifStore(error);
        kept.push(key);
      });
      progress.report();
    };
  });
  return kept.toSorted(compareKeys);
}

/** None where the store has no versions, or where it says neither which nor whether. */
async function listVersions(target: ObjectStore, prefix: string, signal: AbortSignal) {
  try {
    return await target.versions(prefix, { signal });
  } catch (error) {
    const { isTransient } = ifStore(error);
    const mayHave = isTransient || (await target.keepsVersions({ signal })) === true;
    if (mayHave && !isUnsupported(error)) throw error;
    return { entries: [], isTruncated: false };
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

/** Undefined where the account does not have the place. */
function ifGone(error: unknown): undefined {
  if (!isPlaceGone(error)) throw error;
}

/** What may be at the target by the ledger. Unsure: a named write has no line. */
async function findWritten(
  { ledger, manifests }: MigrationContext,
  drill: DrillRecord,
  { manifestId, pages }: Sampled,
): Promise<{ readonly keys: readonly string[]; readonly isUnsure: boolean }> {
  const keys: string[] = [];
  let isUnsure = false;
  for (let page = 0; page < pages; page += 1) {
    const { named, lines } = await ledger.ofPage(manifestId, page);
    const planned = await manifests.findPage(manifestId, page);
    for (const [place, { key }] of planned?.entries.entries() ?? []) {
      const line = lines.get(place);
      isUnsure ||= !line && named.has(place);
      if (line ? isMigrated(line) : named.has(place)) keys.push(drillPrefix(drill) + key);
    }
  }
  return { keys, isUnsure };
}

/** Ends the drill with its certificate. */
async function end(
  { drills, manifests, activities, now, onBackgroundError }: MigrationContext,
  drill: DrillRecord,
  used: DrillUse,
  left: readonly string[],
): Promise<0> {
  const { drillId, accountId, stopping, requestId } = drill;
  const lines = [];
  for await (const page of readDrillLines(manifests, drill)) lines.push(...page);
  const counted = { ...drill, used: addUse(drill.used, used) };
  const results = summarize(lines, counted);
  const completedAt = now();
  const removed = left.length === 0;
  const ended = {
    status: stopping?.status ?? (removed ? ('completed' as const) : ('failed' as const)),
    error: stopping?.error ?? (removed ? null : notRemoved(left)),
    used: counted.used,
    results,
    removed,
    left,
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
  await activities.publish('drills', drillId).catch(onBackgroundError);
  return 0;
}

function notRemoved(left: readonly string[]): MigrationError {
  const named = left.slice(0, 3).join(', ');
  const more = left.length > 3 ? ` and ${left.length - 3} more` : '';
  return {
    code: 'provider_error',
    message: `The target has not deleted ${named}${more}, or old versions of them. Delete them yourself.`,
  };
}
