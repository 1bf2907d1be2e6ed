import { createHash } from 'node:crypto';
import { runConcurrently } from '../../adapters/object-store/adaptive-concurrency.ts';
import { retryCall } from '../../adapters/object-store/call-bounds.ts';
import { StoreError } from '../../adapters/object-store/errors.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import { measuredAt } from '../../domain/accounts/account.ts';
import { drillPrefix, type DrillRecord, type Sampled } from '../../domain/drills/drill.ts';
import type { ManifestPage } from '../../domain/migrations/manifest.ts';
import {
  isMigrated,
  type LedgerLine,
  type ManifestEntry,
} from '../../domain/migrations/object-ledger.ts';
import type { MigrationContext } from '../contexts.ts';
import { createMigrateObject, describeChanged } from '../migrations/migrate-object.ts';
import { startsUntil } from '../migrations/slice.ts';
import { copyPlanned, workPages, type PageWork } from '../relocations/copy.ts';
import { openPage, openPlaces } from '../relocations/run.ts';

const READS_AT_ONCE = 8;

/** Copies the sample, page after page. @returns whether all of it has an outcome */
export async function copySample(context: MigrationContext, drill: DrillRecord): Promise<boolean> {
  const { manifests } = context;
  const { drillId, connectionId, from, to } = drill;
  const { manifestId } = requireSampled(drill);
  const { account, source, target } = await openPlaces(context, drill);
  const copyPage = (number: number, work: PageWork) =>
    copyPlanned(context, manifestId, number, work, {
      copying: (page) => ({
        migrationId: drillId,
        source: atSourceKeys(source, page),
        target,
        providers: { source: from.provider, target: to.provider },
        keyPrefix: drillPrefix(drill),
        sourcePrefix: '',
        capabilities: measuredAt(account, to),
        maxGrowthBytes: 0,
      }),
      toMigrate(copying) {
        const migrate = createMigrateObject(copying);
        // The record of a file has no ETag.
        const described =
          connectionId === null
            ? { describe: (entry: ManifestEntry) => describeChanged(copying, entry) }
            : {};
        return async (entry, at) => ({
          ...(await migrate(entry, { ...at, ...described })),
          key: entry.sourceKey ?? entry.key,
        });
      },
      save: () => manifests.sum(manifestId),
    });
  return await workThrough(context, drill, copyPage);
}

/** Reads the copies back, page after page. @returns whether all are read */
export async function readSample(context: MigrationContext, drill: DrillRecord): Promise<boolean> {
  const { target } = await openPlaces(context, drill);
  const { manifestId } = requireSampled(drill);
  return await workThrough(context, drill, async (number, { watch, isOver }) => {
    const { writer } = await openPage(context, manifestId, number);
    const unread = () =>
      [...writer.lines.values()].filter((line) => isMigrated(line) && line.readBack === undefined);
    const waiting = unread().values();
    const mayStart = startsUntil(isOver, watch.signal);
    try {
      await runConcurrently({ limit: () => READS_AT_ONCE }, () => {
        const line = mayStart() ? waiting.next().value : undefined;
        if (!line) return undefined;
        return async () => {
          const readBack = await readCopy(context, target, line, watch.signal);
          writer.note({ ...line, readBack });
        };
      });
    } finally {
      await writer.flush();
    }
    return unread().length === 0;
  });
}

/** The pages of the step that the drill has come to. */
function workThrough(
  context: MigrationContext,
  drill: DrillRecord,
  work: (page: number, work: PageWork) => Promise<boolean>,
): Promise<boolean> {
  const { drills } = context;
  const { status } = drill;
  const isOpen = async () => {
    const latest = await drills.findRun(drill);
    return latest?.status === status && latest.stopping === null;
  };
  const stored = { ...drill, pages: requireSampled(drill).pages };
  return workPages(context, stored, isOpen, async (page, how) => {
    const isDone = await work(page, how);
    if (isDone) await drills.savePage({ ...drill, page });
    return isDone;
  });
}

function requireSampled({ status, sampled }: DrillRecord): Sampled {
  if (!sampled) throw new Error(`a drill that is ${status} has no sample`);
  return sampled;
}

/** What came of reading a copy. @throws StoreError if the store fails, not the object */
async function readCopy(
  { limits, slices: { wait } }: MigrationContext,
  target: ObjectStore,
  { targetKey, targetEtag: ifMatch, sha256 }: LedgerLine,
  signal: AbortSignal,
): Promise<NonNullable<LedgerLine['readBack']>> {
  if (ifMatch === null) throw new Error('a copy has no ETag');
  const read = async () => {
    await limits.acquireRequest(signal);
    const opened = await target.open(targetKey, { ifMatch }, { signal });
    try {
      const digest = createHash('sha256');
      for await (const piece of opened.body) {
        digest.update(piece);
        await limits.acquireBytes(piece.length, signal);
      }
      return digest.digest('hex');
    } finally {
      opened.close();
    }
  };
  try {
    return (await retryCall({ wait, signal }, read)) === sha256 ? 'equal' : 'target_differs';
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    if (error.failure === 'changed' || error.failure === 'missing') return 'target_differs';
    if (error.failure === 'failed' || error.failure === 'rejected') return 'target_unavailable';
    throw error;
  }
}

/** A source whose objects have the keys of a page: the copy engine reads numbers. */
function atSourceKeys(source: ObjectStore, { entries }: ManifestPage): ObjectStore {
  const keys = new Map(entries.map(({ key, sourceKey = key }) => [key, sourceKey]));
  const toKey = (key: string) => keys.get(key) ?? key;
  return {
    ...source,
    head: (key, options) => source.head(toKey(key), options),
    open: (key, request, options) => source.open(toKey(key), request, options),
  };
}
