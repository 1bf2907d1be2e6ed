import type { CheckedKeys, KeyDifference } from '../../adapters/mongo/migrations/releases.ts';
import { retryCall } from '../../adapters/object-store/call-bounds.ts';
import type { ListedEntry } from '../../adapters/object-store/list-answers.ts';
import type { MigrationError } from '../../domain/migrations/migration.ts';
import {
  compareForRelease,
  growTree,
  ROUND_SINCE,
  ROUTED,
  toReleased,
  type Release,
  type ReleasedObject,
} from '../../domain/migrations/release.ts';
import type { LedgerLine } from '../../domain/migrations/object-ledger.ts';
import { MigrationStopError } from '../../domain/migrations/stop.ts';
import { readyRelease } from '../../domain/webhooks/event.ts';
import type { ReleaseKey, ReleaseSlice } from '../../messages/release.ts';
import { holdsRoutedFiles } from '../../operations/uploads/routed.ts';
import type { FoundObject } from './target-object.ts';
import { findAllHistories, openHistories, type FindHistories } from './key-histories.ts';
import { headAtTarget, listAtTarget, type TargetListingDeps } from './page-target.ts';
import { keyPrefixOf } from '../../domain/decision/types.ts';
import type { MigrationContext } from '../contexts.ts';
import { atStores, callsOf, classifyStoreError, openRun, type MigrationRun } from './run.ts';
import { requireOrder } from './source-listing.ts';

export type ReleaseActivities = ReturnType<typeof createReleaseActivities>;

/** The check whether the source of a migration can be given up. It only lists, at both sides. */
export function createReleaseActivities(context: MigrationContext) {
  const { releases, now } = context;
  return {
    /** Compares for one slice. A check has ended if it was replaced or a later round has begun. */
    async checkRelease(key: ReleaseKey): Promise<ReleaseSlice> {
      const release = await releases.findRelease(key);
      if (release?.releaseId !== key.releaseId)
        return { status: 'failed', objects: 0, differences: 0 };
      if (release.status !== 'checking') return toSlice(release);
      const run = await openCheckedRound(context, release);
      if (!run) return await endNotReady(context, release, ROUND_SINCE);
      if (await isRouted(context, run)) return await endNotReady(context, release, ROUTED);
      const checked = await atStores(context, run, () =>
        compareForSlice(context, run, release),
      ).catch((error: unknown) => {
        const { provider } = run.recommendation.approval.source;
        throw classifyStoreError(context, provider, error);
      });
      return isWhole(checked) ? await endCheck(context, run, checked) : toSlice(checked);
    },

    async failRelease({ releaseId }: ReleaseKey, error: MigrationError): Promise<void> {
      await releases.end(releaseId, { status: 'failed', versioned: null, error }, now());
    },
  };
}

/** The run of the round in which the check began; undefined if a later one has begun. */
async function openCheckedRound(
  context: MigrationContext,
  { migrationId, accountId, round }: Release,
): Promise<MigrationRun | undefined> {
  const record = await context.migrations.findMigration({ migrationId, accountId });
  if (record && record.round > round) return undefined;
  return await openRun(context, { migrationId, accountId, round });
}

/** Asked at each slice: files may have been routed there since the approval. */
function isRouted(
  context: MigrationContext,
  { key, recommendation }: MigrationRun,
): Promise<boolean> {
  const { approval, selector } = recommendation;
  return holdsRoutedFiles(context, key.accountId, approval.source, selector.prefix);
}

async function endNotReady(
  { releases, now }: MigrationContext,
  release: Release,
  error: MigrationError,
): Promise<ReleaseSlice> {
  await releases.end(release.releaseId, { status: 'not_ready', versioned: null, error }, now());
  return { ...toSlice(release), status: 'not_ready' };
}

/**
 * The end of a whole comparison. Before the check is ready, the round is kept with the migration
 * for ever: what it has released is removed by no round, also if this worker dies between the two
 * writes.
 */
async function endCheck(
  context: MigrationContext,
  run: MigrationRun,
  checked: Release,
): Promise<ReleaseSlice> {
  const { releases, migrations, now } = context;
  const { releaseId, migrationId, round, differences } = checked;
  const versioned = (await run.source.keepsVersions().catch(() => undefined)) ?? null;
  const status = differences === 0 ? 'ready' : 'not_ready';
  if (status === 'ready' && !(await migrations.noteReleased({ migrationId, round })))
    return await endNotReady(context, checked, ROUND_SINCE);
  const checkedAt = now();
  const events = status === 'ready' ? [readyRelease(checked, checkedAt)] : [];
  await releases.end(releaseId, { status, versioned, error: null }, checkedAt, events);
  return { ...toSlice(checked), status };
}

function toSlice({ status, objects, differences }: Release): ReleaseSlice {
  return { status, objects, differences };
}

function isWhole({ pages, after }: Release): boolean {
  return pages > 0 && after === null;
}

/** Compares page by page until all is compared or the slice ends; at least one. */
async function compareForSlice(
  context: MigrationContext,
  run: MigrationRun,
  stored: Release,
): Promise<Release> {
  const find = await openHistories(context, run.recommendation, stored.round + 1);
  const endsAtMs = performance.now() + context.slices.maxMs;
  let release = stored;
  while (!isWhole(release)) {
    release = await compareNext(context, run, release, find);
    context.progress.report();
    if (performance.now() >= endsAtMs || context.slices.signal().aborted) break;
  }
  return release;
}

/** Compares one page, and stores what was found. What another worker has stored of it counts. */
async function compareNext(
  context: MigrationContext,
  run: MigrationRun,
  release: Release,
  find: FindHistories,
): Promise<Release> {
  const { releaseId, pages } = release;
  const compared = await comparePage(context, run, release, find);
  const stored = await context.releases.addPage(releaseId, pages, compared, context.now());
  const { objects, differences, last, isLast } = stored;
  const progress = {
    pages: pages + 1,
    after: isLast ? null : last,
    objects: release.objects + objects.length,
    bytes: objects.reduce((sum, { bytes }) => sum + bytes, release.bytes),
    differences: release.differences + differences.length,
    tree: growTree(release.tree, objects),
  };
  if (await context.releases.saveProgress(releaseId, pages, progress))
    return { ...release, ...progress };
  throw new Error('another worker has come further, or the check was replaced');
}

/** Compares the objects of one page of the source's listing with the ledger and with the target. */
async function comparePage(
  context: MigrationContext,
  { recommendation, source, target }: MigrationRun,
  { after }: Release,
  find: FindHistories,
): Promise<CheckedKeys> {
  const { selector, approval } = recommendation;
  const prefix = keyPrefixOf(selector);
  const calls = callsOf(context);
  const { entries, isTruncated } = await retryCall(calls, () => source.list({ prefix, after }));
  requireOrder(entries, after);
  const last = entries.at(-1)?.key;
  if (last === undefined) {
    if (isTruncated)
      throw new MigrationStopError('provider_error', 'The source does not continue its listing.');
    return { after, last: '', isLast: true, objects: [], differences: [] };
  }
  const histories = await findAllHistories(find, after, last);
  const lineOf = (key: string) => histories.get(key)?.latest ?? null;
  const atTarget = { target, limits: context.limits, keyPrefix: approval.keyPrefix, ...calls };
  const targetObject = await readTarget(atTarget, after, entries, lineOf).catch(
    (error: unknown) => {
      throw classifyStoreError(context, approval.target.provider, error);
    },
  );
  const objects: ReleasedObject[] = [];
  const differences: KeyDifference[] = [];
  for (const entry of entries) {
    const { key } = entry;
    const line = lineOf(key);
    const code = compareForRelease(entry, line, targetObject(key));
    if (code) differences.push({ key, code });
    else if (line) objects.push(toReleased(line));
  }
  return { after, last, isLast: !isTruncated, objects, differences };
}

/**
 * What the target has under the keys. A listing may lag or leave out: what it does not show as the
 * ledger has it is looked at by HEAD.
 */
async function readTarget(
  context: TargetListingDeps,
  previous: string | null,
  entries: readonly ListedEntry[],
  lineOf: (key: string) => LedgerLine | null,
): Promise<(key: string) => FoundObject | null> {
  const keys = entries.map(({ key }) => key);
  const present = await listAtTarget(context, previous, keys);
  const asListed = new Map(keys.map((key) => [key, present(key) ?? null]));
  const doubtful = entries.filter((entry) => {
    const code = compareForRelease(entry, lineOf(entry.key), asListed.get(entry.key) ?? null);
    return code === 'target_missing' || code === 'target_differs';
  });
  const doubtfulKeys = doubtful.map(({ key }) => key);
  const held = await headAtTarget(context, doubtfulKeys);
  for (const key of doubtfulKeys) asListed.set(key, held.get(key) ?? null);
  return (key) => asListed.get(key) ?? null;
}
