import type { CheckedKeys, KeyDifference } from '../../adapters/mongo/releases.ts';
import { retryCall } from '../../adapters/object-store/call-bounds.ts';
import type { MigrationError } from '../../domain/migration/migration.ts';
import {
  compareForRelease,
  growTree,
  toReleased,
  type Release,
  type ReleasedObject,
} from '../../domain/migration/release.ts';
import type { EarlierLine } from '../../domain/migration/object-ledger.ts';
import { MigrationStop } from '../../domain/migration/stop.ts';
import { readyRelease } from '../../domain/webhooks/data.ts';
import { describeEvent } from '../../domain/webhooks/event.ts';
import type { ReleaseKey, ReleaseSlice } from '../../messages/release.ts';
import type { Progress } from '../common/progress.ts';
import type { CopyLimits } from '../object-copy/copy-limits.ts';
import { createEarlierLines, type EarlierLines } from './earlier-lines.ts';
import { listAtTarget } from './page-target.ts';
import type { MigrationPlanDeps } from './plan.ts';
import { atStores, classifyStoreError, openRun, type MigrationRun } from './run.ts';
import { requireOrder } from './source-listing.ts';

export interface ReleaseDeps extends Omit<MigrationPlanDeps, 'scans' | 'priceBook'> {
  readonly limits: CopyLimits;
  readonly progress: Progress;
}

const OUTDATED: MigrationError = {
  code: 'migration_running',
  message: 'A round has begun while the source was checked.',
};

type FindLines = ReturnType<typeof createEarlierLines>;

export type ReleaseActivities = ReturnType<typeof createReleaseActivities>;

/** The check whether the source of a migration can be given up. It only lists, at both sides. */
export function createReleaseActivities(deps: ReleaseDeps) {
  const { releases, now } = deps;
  return {
    /** Compares for one slice. A check that was replaced, or that a round has outdated, has ended. */
    async checkRelease(key: ReleaseKey): Promise<ReleaseSlice> {
      const release = await releases.find(key);
      if (release?.releaseId !== key.releaseId)
        return { status: 'failed', objects: 0, differences: 0 };
      if (release.status !== 'checking') return toSlice(release);
      const { migrationId, accountId } = key;
      const record = await deps.migrations.find(key);
      if (record && record.round > release.round) {
        const end = { status: 'not_ready', versioned: null, error: OUTDATED } as const;
        await releases.end(key.releaseId, end, now());
        return { ...toSlice(release), status: 'not_ready' };
      }
      const round = release.round === 1 ? {} : { round: release.round };
      const run = await openRun(deps, { migrationId, accountId, ...round });
      const checked = await atStores(deps, run, () => compareForSlice(deps, run, release)).catch(
        (error: unknown) => {
          const { provider } = run.recommendation.approval.source;
          throw classifyStoreError(deps, provider, error);
        },
      );
      if (!isWhole(checked)) return toSlice(checked);
      const versioned = (await run.source.keepsVersions().catch(() => undefined)) ?? null;
      const status = checked.differences === 0 ? 'ready' : 'not_ready';
      const checkedAt = now();
      const data = readyRelease({ ...release, ...checked }, checkedAt);
      const ready = describeEvent(accountId, 'release.ready', checkedAt, data);
      const events = status === 'ready' ? [ready] : [];
      await releases.end(key.releaseId, { status, versioned, error: null }, checkedAt, events);
      return { ...toSlice(checked), status };
    },

    async failRelease({ releaseId }: ReleaseKey, error: MigrationError): Promise<void> {
      await releases.end(releaseId, { status: 'failed', versioned: null, error }, now());
    },
  };
}

function toSlice({ status, objects, differences }: Release): ReleaseSlice {
  return { status, objects, differences };
}

function isWhole({ pages, after }: Release): boolean {
  return pages > 0 && after === null;
}

/** Compares page by page until all is compared or the slice ends; at least one. */
async function compareForSlice(
  deps: ReleaseDeps,
  run: MigrationRun,
  before: Release,
): Promise<Release> {
  const findLines = createEarlierLines(deps.manifests, before.migrationId, before.round);
  const endsAtMs = performance.now() + deps.sliceMs;
  let release = before;
  while (!isWhole(release)) {
    release = await compareNext(deps, run, release, findLines);
    deps.progress.report();
    if (performance.now() >= endsAtMs || deps.signal().aborted) break;
  }
  return release;
}

/** Compares one page, and stores what was found. */
async function compareNext(
  deps: ReleaseDeps,
  run: MigrationRun,
  release: Release,
  findLines: FindLines,
): Promise<Release> {
  const { releaseId, pages } = release;
  const { next, objects, differences } = await comparePage(deps, run, release, findLines);
  await deps.releases.savePage(releaseId, { page: pages, objects, differences }, deps.now());
  const progress = {
    pages: pages + 1,
    after: next,
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
  deps: ReleaseDeps,
  { recommendation, source, target }: MigrationRun,
  { after }: Release,
  findLines: FindLines,
): Promise<Omit<CheckedKeys, 'page'> & { readonly next: string | null }> {
  const { selector, approval } = recommendation;
  const prefix = selector.prefix ?? '';
  const calls = { wait: deps.wait, signal: deps.signal() };
  const { entries, isTruncated } = await retryCall(calls, () => source.list({ prefix, after }));
  requireOrder(entries, after);
  const last = entries.at(-1)?.key;
  if (isTruncated && last === undefined)
    throw new MigrationStop('provider_error', 'The source does not continue its listing.');
  const range = { before: after, keys: entries.map(({ key }) => key) };
  const { keyPrefix } = approval;
  const { limits } = deps;
  const present = await listAtTarget({ target, limits, keyPrefix, ...calls }, range).catch(
    (error: unknown) => {
      throw classifyStoreError(deps, approval.target.provider, error);
    },
  );
  const lines = await linesUpTo(findLines, after, last ?? null);
  const objects: ReleasedObject[] = [];
  const differences: KeyDifference[] = [];
  for (const entry of entries) {
    const { key } = entry;
    const earlier = lines.get(key);
    const code = compareForRelease(entry, earlier, present(key) ?? null);
    if (code) differences.push({ key, code });
    else if (earlier) objects.push(toReleased(earlier.latest));
  }
  return { next: isTruncated ? (last ?? null) : null, objects, differences };
}

/** All lines of a run of keys that the source has listed, so their number is bounded. */
async function linesUpTo(
  findLines: FindLines,
  after: string | null,
  last: string | null,
): Promise<EarlierLines['lines']> {
  if (last === null) return new Map();
  const all = new Map<string, EarlierLine>();
  let from = after;
  for (;;) {
    const { upTo, lines } = await findLines(from, last);
    for (const [key, line] of lines) all.set(key, line);
    if (upTo === last || upTo === null) return all;
    from = upTo;
  }
}
