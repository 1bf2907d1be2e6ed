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
import { holdsRoutedFiles, type RoutedDeps } from '../../operations/uploads/routed.ts';
import type { Progress } from '../common/progress.ts';
import type { CopyLimits } from '../../copy/copy-limits.ts';
import type { FoundObject } from './target-object.ts';
import { findAllHistories, openHistories, type FindHistories } from './key-histories.ts';
import { headAtTarget, listAtTarget, type TargetListingDeps } from './page-target.ts';
import type { MigrationPlanDeps } from './plan.ts';
import { atStores, classifyStoreError, openRun, type MigrationRun } from './run.ts';
import { keyPrefixOf } from '../../domain/decision/types.ts';
import { requireOrder } from './source-listing.ts';

export interface ReleaseCheckDeps extends Omit<MigrationPlanDeps, 'scans' | 'priceBook'> {
  readonly limits: CopyLimits;
  readonly progress: Progress;
  readonly files: RoutedDeps['files'];
}

export type ReleaseActivities = ReturnType<typeof createReleaseActivities>;

/** The check whether the source of a migration can be given up. It only lists, at both sides. */
export function createReleaseActivities(deps: ReleaseCheckDeps) {
  const { releases, now } = deps;
  return {
    /** Compares for one slice. A check that was replaced, or that a round has outdated, has ended. */
    async checkRelease(key: ReleaseKey): Promise<ReleaseSlice> {
      const release = await releases.findRelease(key);
      if (release?.releaseId !== key.releaseId)
        return { status: 'failed', objects: 0, differences: 0 };
      if (release.status !== 'checking') return toSlice(release);
      const run = await openCheckedRound(deps, release);
      if (!run) return await endNotReady(deps, release, ROUND_SINCE);
      if (await isRouted(deps, run)) return await endNotReady(deps, release, ROUTED);
      const checked = await atStores(deps, run, () => compareForSlice(deps, run, release)).catch(
        (error: unknown) => {
          const { provider } = run.recommendation.approval.source;
          throw classifyStoreError(deps, provider, error);
        },
      );
      return isWhole(checked) ? await endCheck(deps, run, checked) : toSlice(checked);
    },

    async failRelease({ releaseId }: ReleaseKey, error: MigrationError): Promise<void> {
      await releases.end(releaseId, { status: 'failed', versioned: null, error }, now());
    },
  };
}

/** The run of the round in which the check began; undefined if a later one has begun. */
async function openCheckedRound(
  deps: ReleaseCheckDeps,
  { migrationId, accountId, round }: Release,
): Promise<MigrationRun | undefined> {
  const record = await deps.migrations.findMigration({ migrationId, accountId });
  if (record && record.round > round) return undefined;
  return await openRun(deps, { migrationId, accountId, round });
}

/** Asked at each slice: files may have been routed there since the approval. */
function isRouted(deps: ReleaseCheckDeps, { key, recommendation }: MigrationRun): Promise<boolean> {
  const { approval, selector } = recommendation;
  return holdsRoutedFiles(deps, key.accountId, approval.source, selector.prefix);
}

async function endNotReady(
  { releases, now }: ReleaseCheckDeps,
  release: Release,
  error: MigrationError,
): Promise<ReleaseSlice> {
  await releases.end(release.releaseId, { status: 'not_ready', versioned: null, error }, now());
  return { ...toSlice(release), status: 'not_ready' };
}

/**
 * The end of a whole comparison. Before the check is ready, the round is kept with the migration for ever: what it has
 * released is removed by no round, also if this worker dies between the two writes.
 */
async function endCheck(
  deps: ReleaseCheckDeps,
  run: MigrationRun,
  checked: Release,
): Promise<ReleaseSlice> {
  const { releases, migrations, now } = deps;
  const { releaseId, migrationId, round, differences } = checked;
  const versioned = (await run.source.keepsVersions().catch(() => undefined)) ?? null;
  const status = differences === 0 ? 'ready' : 'not_ready';
  if (status === 'ready' && !(await migrations.noteReleased({ migrationId, round })))
    return await endNotReady(deps, checked, ROUND_SINCE);
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
  deps: ReleaseCheckDeps,
  run: MigrationRun,
  before: Release,
): Promise<Release> {
  const find = await openHistories(deps, run.recommendation, before.round + 1);
  const endsAtMs = performance.now() + deps.sliceMs;
  let release = before;
  while (!isWhole(release)) {
    release = await compareNext(deps, run, release, find);
    deps.progress.report();
    if (performance.now() >= endsAtMs || deps.signal().aborted) break;
  }
  return release;
}

/** Compares one page, and stores what was found. What another worker has stored of it counts. */
async function compareNext(
  deps: ReleaseCheckDeps,
  run: MigrationRun,
  release: Release,
  find: FindHistories,
): Promise<Release> {
  const { releaseId, pages } = release;
  const compared = await comparePage(deps, run, release, find);
  const stored = await deps.releases.addPage(releaseId, pages, compared, deps.now());
  const { objects, differences, last, isLast } = stored;
  const progress = {
    pages: pages + 1,
    after: isLast ? null : last,
    objects: release.objects + objects.length,
    bytes: objects.reduce((sum, { bytes }) => sum + bytes, release.bytes),
    differences: release.differences + differences.length,
    tree: growTree(release.tree, objects),
  };
  if (await deps.releases.saveProgress(releaseId, pages, progress))
    return { ...release, ...progress };
  throw new Error('another worker has come further, or the check was replaced');
}

/** Compares the objects of one page of the source's listing with the ledger and with the target. */
async function comparePage(
  deps: ReleaseCheckDeps,
  { recommendation, source, target }: MigrationRun,
  { after }: Release,
  find: FindHistories,
): Promise<CheckedKeys> {
  const { selector, approval } = recommendation;
  const prefix = keyPrefixOf(selector);
  const calls = { wait: deps.wait, signal: deps.signal() };
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
  const atTarget = { target, limits: deps.limits, keyPrefix: approval.keyPrefix, ...calls };
  const found = await readTarget(atTarget, after, entries, lineOf).catch((error: unknown) => {
    throw classifyStoreError(deps, approval.target.provider, error);
  });
  const objects: ReleasedObject[] = [];
  const differences: KeyDifference[] = [];
  for (const entry of entries) {
    const { key } = entry;
    const line = lineOf(key);
    const code = compareForRelease(entry, line, found(key));
    if (code) differences.push({ key, code });
    else if (line) objects.push(toReleased(line));
  }
  return { after, last, isLast: !isTruncated, objects, differences };
}

/**
 * What the target has under the keys. A listing may lag or leave out: what it does not show as the ledger has it is
 * looked at by HEAD.
 */
async function readTarget(
  deps: TargetListingDeps,
  before: string | null,
  entries: readonly ListedEntry[],
  lineOf: (key: string) => LedgerLine | null,
): Promise<(key: string) => FoundObject | null> {
  const keys = entries.map(({ key }) => key);
  const present = await listAtTarget(deps, { before, keys });
  const asListed = new Map(keys.map((key) => [key, present(key) ?? null]));
  const doubtful = entries.filter((entry) => {
    const code = compareForRelease(entry, lineOf(entry.key), asListed.get(entry.key) ?? null);
    return code === 'target_missing' || code === 'target_differs';
  });
  const looked = await headAtTarget(
    deps,
    doubtful.map(({ key }) => key),
  );
  for (const { key } of doubtful) asListed.set(key, looked.get(key) ?? null);
  return (key) => asListed.get(key) ?? null;
}
