import { randomUUID } from 'node:crypto';
import { retryCall } from '../../adapters/object-store/call-bounds.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import {
  PAGE_FILES,
  type DrillRecord,
  type LeftOut,
  type Sampled,
} from '../../domain/drills/drill.ts';
import { sumBy } from '../../domain/common/sums.ts';
import { estimateDrill, priceBytes } from '../../domain/drills/estimate.ts';
import { Sampler, type Sample } from '../../domain/drills/sample.ts';
import { createAgeBands } from '../../domain/inventory/classify.ts';
import { REST_PREFIX } from '../../domain/inventory/bands.ts';
import { GroupSums } from '../../domain/inventory/group-sums.ts';
import type { ManifestEntry } from '../../domain/migrations/object-ledger.ts';
import { MigrationStopError } from '../../domain/migrations/stop.ts';
import { estimateRelocation, FILE_CLASS, overLimit } from '../../domain/relocations/estimate.ts';
import { findFreeGb } from '../../operations/drills/estimate.ts';
import type { MigrationContext } from '../contexts.ts';
import { requireOrder } from '../migrations/source-listing.ts';
import { watchMigration } from '../migrations/watch.ts';
import { classify, openPlaces } from '../relocations/run.ts';

const KEY_DIGITS = 5;
const NO_PREFIXES: ReadonlySet<string> = new Set();

interface Candidate {
  readonly entry: ManifestEntry;
  /** The priority of a file, or the first segment of a key. */
  readonly group: string;
}

/**
 * Draws the sample in one pass over all objects, and plans it as pages of a manifest, if it costs
 * no more than is allowed. A worker that dies meanwhile leaves a drill that begins anew. Each draw
 * has a manifest of its own, so that the pages of two draws never mix.
 */
export async function sample(context: MigrationContext, drill: DrillRecord): Promise<void> {
  const { drills, slices } = context;
  const { source } = await openPlaces(context, drill);
  const isOpen = async () => {
    const latest = await drills.findRun(drill);
    return latest?.status === 'sampling' && latest.stopping === null;
  };
  const watch = watchMigration(isOpen, slices.signal());
  try {
    const drawn = await draw(context, drill, listObjects(context, drill, source, watch.signal));
    const priced = await price(context, drill, drawn);
    await watch.requireOpen();
    const written = await writePages(context, drill, drawn.sample);
    await drills.advance(drill.drillId, 'sampling', 'copying', {
      sampled: { ...written, ...priced },
    });
  } catch (error) {
    // The next slice ends it.
    if (!(await isOpen())) return;
    throw classify(context, { to: drill.from }, error);
  } finally {
    watch.close();
  }
}

type Priced = Omit<Sampled, 'manifestId' | 'pages'>;

interface Drawn {
  readonly sample: Sample;
  readonly groups: GroupSums;
  readonly leftOut: LeftOut;
  readonly listed: number;
}

async function draw(
  { priceBook }: MigrationContext,
  { seed, sampleFiles, startedAt, size, from, to }: DrillRecord,
  objects: AsyncIterable<Candidate>,
): Promise<Drawn> {
  const sampler = new Sampler(seed, sampleFiles, startedAt);
  const groups = new GroupSums([], priceBook.minBillableSizes);
  const ageBandOf = createAgeBands(startedAt);
  const { objectBytes } = priceBook.catalogue.entry(to.provider).limits;
  const leftOut = { archived: 0, unpriced: 0, tooLarge: 0 };
  let listed = 0;
  for await (const { entry, group } of objects) {
    listed += 1;
    const sheet = priceBook.classSheet(from.provider, from.region, entry.storageClass);
    if (!sheet) leftOut.unpriced += 1;
    else if (sheet.archived) leftOut.archived += 1;
    else if (entry.sizeBytes > objectBytes) leftOut.tooLarge += 1;
    else {
      sampler.add(entry, group);
      groups.count(entry, NO_PREFIXES, ageBandOf);
    }
  }
  const drawn = sampler.finish('bytes' in size ? size.bytes : undefined);
  const { withoutRoom } = drawn;
  return { sample: drawn, groups, leftOut: { ...leftOut, withoutRoom }, listed };
}

/** The objects of the source at the start of the drill. */
async function* listObjects(
  context: MigrationContext,
  { accountId, connectionId, from, startedAt }: DrillRecord,
  source: ObjectStore,
  signal: AbortSignal,
): AsyncGenerator<Candidate> {
  const { files, progress, slices } = context;
  if (connectionId === null) {
    const selection = { createdBefore: startedAt, completedBefore: startedAt };
    for await (const file of files.readObjectsAt(accountId, from, selection)) {
      signal.throwIfAborted();
      progress.report();
      const { objectKey: key, sizeBytes, createdAt, priority: group } = file;
      const lastModified = createdAt.toISOString();
      yield { entry: { key, sizeBytes, etag: '', lastModified, storageClass: FILE_CLASS }, group };
    }
    return;
  }
  const upTo = startedAt.toISOString();
  const list = (after: string | null) =>
    retryCall({ wait: slices.wait, signal }, () => source.list({ prefix: '', after }));
  let after: string | null = null;
  for (;;) {
    const { entries, isTruncated } = await list(after);
    requireOrder(entries, after);
    progress.report();
    for (const { key, sizeBytes, etag, lastModified, storageClass } of entries)
      if (lastModified <= upTo)
        yield {
          entry: { key, sizeBytes, etag, lastModified, storageClass },
          group: key.slice(0, key.indexOf('/') + 1) || REST_PREFIX,
        };
    if (!isTruncated) return;
    after = entries.at(-1)?.key ?? after;
    if (entries.length === 0)
      throw new MigrationStopError('provider_error', 'The source does not continue its listing.');
  }
}

/** @throws MigrationStop `quote_exceeded` */
async function price(
  context: MigrationContext,
  drill: DrillRecord,
  { sample: { entries, strata }, groups, leftOut, listed }: Drawn,
): Promise<Priced> {
  const { priceBook } = context;
  const { connectionId, maxTotalUsd, startedAt } = drill;
  const chosen = new GroupSums([], priceBook.minBillableSizes);
  const ageBandOf = createAgeBands(startedAt);
  for (const entry of entries) chosen.count(entry, NO_PREFIXES, ageBandOf);
  const all = groups.list();
  const bytes = sumBy(entries, ({ sizeBytes }) => sizeBytes);
  const places = { ...drill, freeGb: await findFreeGb(context, drill, all) };
  const whole = estimateRelocation(priceBook, drill, all, places.freeGb.from);
  const paidListing = connectionId === null ? 0 : listed;
  const { totalUsd } = estimateDrill(priceBook, places, chosen.list(), paidListing);
  if (totalUsd > maxTotalUsd)
    throw new MigrationStopError('quote_exceeded', overLimit(totalUsd, maxTotalUsd));
  return {
    files: entries.length,
    bytes,
    strata,
    leftOut,
    bytesUsd: priceBytes(priceBook, places, bytes),
    whole: {
      files: whole.files,
      bytes: whole.bytes,
      onceUsd: whole.quote.totalUsd,
      monthlyUsd: whole.monthlyAfterUsd,
    },
  };
}

async function writePages(
  { manifests, progress }: MigrationContext,
  { drillId }: DrillRecord,
  { entries }: Sample,
): Promise<Pick<Sampled, 'manifestId' | 'pages'>> {
  const manifestId = `${drillId}/${randomUUID()}`;
  let pages = 0;
  for (let at = 0; at < entries.length; at += PAGE_FILES) {
    const planned = entries
      .slice(at, at + PAGE_FILES)
      .map(({ key: sourceKey, sizeBytes, etag, lastModified, storageClass }, place) => {
        const key = String(at + place + 1).padStart(KEY_DIGITS, '0');
        return { key, sourceKey, sizeBytes, etag, lastModified, storageClass };
      });
    const next = at + PAGE_FILES < entries.length ? (planned.at(-1)?.key ?? null) : null;
    await manifests.addPage(manifestId, pages, { after: null, next, entries: planned });
    pages += 1;
    progress.report();
  }
  return { manifestId, pages };
}
