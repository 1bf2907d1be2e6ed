import { randomBytes, randomUUID } from 'node:crypto';
import type { Listed, Page } from '../../adapters/mongo/common/pages.ts';
import { requireProvider, sameLocation, type Account } from '../../domain/accounts/account.ts';
import { describeActivity, type Actor } from '../../domain/accounts/activity.ts';
import { entitle } from '../../domain/accounts/entitlement.ts';
import { AppError, invalidField } from '../../domain/common/errors.ts';
import { isRole } from '../../domain/connections/connection.ts';
import { certificateJson } from '../../domain/drills/certificate.ts';
import {
  drillPrefix,
  hasEnded,
  NO_USE,
  summarize,
  type DrillRecord,
  type DrillRequest,
  type DrillResults,
} from '../../domain/drills/drill.ts';
import {
  estimateDrill,
  filesFor,
  readable,
  scaleGroups,
  type DrillEstimate,
} from '../../domain/drills/estimate.ts';
import { mostBytes } from '../../domain/drills/most-bytes.ts';
import type { Count, Group } from '../../domain/inventory/inventory.ts';
import type { LedgerLine } from '../../domain/migrations/object-ledger.ts';
import { PRIORITIES, requireKnown, type StoreLocation } from '../../domain/providers/catalogue.ts';
import { FileSums } from '../../domain/relocations/estimate.ts';
import { namesOf } from '../../domain/relocations/relocation.ts';
import { sumBy } from '../../domain/common/sums.ts';
import type { Deps } from '../common/deps.ts';
import { findConnection } from '../connections/source.ts';
import {
  exceeded,
  findPlaces,
  readRelocationReport,
  requireUsable,
  type RelocationDeps,
} from '../relocations/relocations.ts';
import { findFreeGb } from './estimate.ts';

export type DrillDeps = RelocationDeps &
  Deps<'drills' | 'drillCommands' | 'connections' | 'scans' | 'scanBuckets'>;

/** A drill, with what its ledger says at one moment. */
export interface DrillSnapshot {
  readonly drill: DrillRecord;
  readonly results: DrillResults;
}

/** All objects that are sampled. */
interface Population {
  readonly groups: readonly Group[];
  /** By index into `SIZE_BANDS`. */
  readonly bySize: readonly Count[];
}

/** What is sampled: a place, and the objects there. */
interface Source {
  readonly from: StoreLocation;
  /** Whose credentials read it; undefined if its provider is not configured. */
  readonly place: StoreLocation | undefined;
  readonly connectionId: string | null;
  readonly population: () => Promise<Population>;
}

/**
 * What a drill would cost. Nothing is stored.
 *
 * @throws AppError `invalid_request`, `connection_not_found`, `provider_not_configured`
 */
export async function estimateDrillOf(
  deps: DrillDeps,
  account: Account,
  request: DrillRequest,
): Promise<DrillEstimate> {
  const source = await findSource(deps, account, request, deps.now());
  const { location: to } = requireProvider(account, request.to);
  return (await plan(deps, account, request, { ...source, to })).estimate;
}

/**
 * Begins an exit drill. Checks in the fixed order of refusals; a unique index decides.
 *
 * @throws AppError `invalid_request`, `connection_not_found`, `drill_running`, `plan_limit`,
 * `provider_not_configured`, `provider_not_usable`, `quote_exceeded`, `unavailable`
 */
export async function startDrill(
  deps: DrillDeps,
  account: Account,
  actor: Actor,
  request: DrillRequest,
  drillId: string = randomUUID(),
): Promise<DrillSnapshot> {
  const { drills, plans, activities, drillCommands, onBackgroundError } = deps;
  const { maxTotalUsd, sample: size } = request;
  if (maxTotalUsd === undefined)
    throw invalidField('/maxTotalUsd', 'is required, unless dryRun is true');
  const startedAt = deps.now();
  const source = await findSource(deps, account, request, startedAt);
  const { accountId } = account;
  const { from, connectionId } = source;
  if (await drills.isRunningAt(accountId, from)) throw new AppError('drill_running');
  entitle(account.plan, plans[account.plan], { what: 'migration' });
  const place = source.place ?? requireProvider(account, from.provider).location;
  const { location: to } = requireProvider(account, request.to);
  await requireUsable(deps, account, { from, place, to, keyPrefix: drillPrefix({ drillId }) });
  const { estimate, sampleFiles } = await plan(deps, account, request, { ...source, to });
  if (sampleFiles === 0) throw invalidField('/from', 'holds nothing that can be copied');
  if (estimate.totalUsd > maxTotalUsd) throw exceeded(estimate.totalUsd, maxTotalUsd, '/totalUsd');
  await deps.temporal.ping();
  const { person, requestId } = actor;
  const drill: DrillRecord = {
    drillId,
    accountId,
    status: 'sampling',
    from,
    connectionId,
    place,
    to,
    seed: randomBytes(16).toString('hex'),
    size,
    sampleFiles,
    maxTotalUsd,
    startedBy: person.subject,
    startedByName: person.name,
    requestId,
    startedAt,
    sampled: null,
    page: 0,
    copyMs: 0,
    used: NO_USE,
    stopping: null,
    removingSince: null,
    removed: false,
    left: [],
    results: null,
    completedAt: null,
    error: null,
    certificateHead: null,
    certificateSha256: null,
  };
  const activity = describeActivity(actor, 'drill.started', drillId, startedAt);
  if (!(await drills.insertRun(drill, activity))) throw new AppError('drill_running');
  // If its workflow cannot be started, the sweep starts it.
  await drillCommands.startDrill(drill, namesOf(drill)).catch(onBackgroundError);
  await activities.publish('drills', drillId).catch(onBackgroundError);
  return await toSnapshot(deps, drill);
}

/** @throws AppError `drill_not_found` */
async function findDrill(
  { drills }: Pick<DrillDeps, 'drills'>,
  { accountId }: Account,
  drillId: string,
): Promise<DrillRecord> {
  const drill = await drills.findRun({ drillId, accountId });
  if (!drill) throw new AppError('drill_not_found');
  return drill;
}

/** @throws AppError `drill_not_found` */
export async function getDrill(
  deps: DrillDeps,
  account: Account,
  drillId: string,
): Promise<DrillSnapshot> {
  return await toSnapshot(deps, await findDrill(deps, account, drillId));
}

export async function listDrills(
  deps: DrillDeps,
  { accountId }: Account,
  page: Page,
): Promise<Listed<DrillSnapshot>> {
  const { items, total } = await deps.drills.listRuns(accountId, page);
  return { items: await Promise.all(items.map((each) => toSnapshot(deps, each))), total };
}

/**
 * It goes no further, and its copies are removed. After its end it changes nothing.
 *
 * @throws AppError `drill_not_found`
 */
export async function cancelDrill(
  deps: DrillDeps,
  account: Account,
  actor: Actor,
  drillId: string,
): Promise<DrillSnapshot> {
  const drill = await findDrill(deps, account, drillId);
  if (!hasEnded(drill) && drill.status !== 'removing') {
    const activity = describeActivity(actor, 'drill.cancelled', drillId, deps.now());
    await deps.drills.stop(drill, { status: 'cancelled', error: null }, activity);
    await deps.activities.publish('drills', drillId).catch(deps.onBackgroundError);
  }
  return await getDrill(deps, account, drillId);
}

/** @throws AppError `drill_not_found`, `drill_running` */
export async function getCertificate(
  deps: DrillDeps,
  account: Account,
  drillId: string,
): Promise<{ readonly json: string; readonly sha256: string }> {
  const drill = await findDrill(deps, account, drillId);
  const { certificateHead, certificateSha256: sha256 } = drill;
  if (certificateHead === null || sha256 === null) throw new AppError('drill_running');
  return { json: certificateJson(certificateHead, await readAll(deps, drill)), sha256 };
}

/** The lines of the objects whose outcome is known, in the order of their keys. */
export function readDrillLines(
  manifests: DrillDeps['manifests'],
  { drillId, sampled }: DrillRecord,
): AsyncGenerator<readonly LedgerLine[]> {
  const { manifestId: relocationId, pages } = sampled ?? { manifestId: drillId, pages: 0 };
  return readRelocationReport({ manifests }, { relocationId, pages });
}

async function readAll(
  { manifests }: Pick<DrillDeps, 'manifests'>,
  drill: DrillRecord,
): Promise<readonly LedgerLine[]> {
  const lines: LedgerLine[] = [];
  for await (const page of readDrillLines(manifests, drill)) lines.push(...page);
  return lines;
}

async function toSnapshot(deps: DrillDeps, drill: DrillRecord): Promise<DrillSnapshot> {
  return { drill, results: drill.results ?? summarize(await readAll(deps, drill), drill) };
}

/** @throws AppError `invalid_request`, `connection_not_found` */
async function findSource(
  deps: DrillDeps,
  account: Account,
  { from: named, to }: DrillRequest,
  startedAt: Date,
): Promise<Source> {
  const { accountId } = account;
  if (!('connectionId' in named)) {
    const { from } = await findPlaces(deps, account, { from: named, to });
    const population = async () => {
      const sums = new FileSums(deps.priceBook, startedAt);
      const selection = { createdBefore: startedAt, completedBefore: startedAt };
      for await (const file of deps.files.readActiveAt(accountId, from, selection)) sums.add(file);
      return { groups: sums.list(), bySize: sums.bySize };
    };
    return { from, place: from, connectionId: null, population };
  }
  requireKnown(deps.catalogue, to, '/to');
  const { connectionId, bucketName } = named;
  const connection = await findConnection(deps, { connectionId, accountId });
  const scan = await deps.scans.findNewest(connectionId);
  if (!scan) throw invalidField('/from/connectionId', 'has no completed scan yet');
  for await (const { name, region, ...population } of deps.scanBuckets.inventories(scan.scanId)) {
    if (name !== bucketName) continue;
    const { provider } = connection;
    const place = isRole(connection) ? account.providers[provider]?.location : connection.place;
    const from = { ...place, provider, bucketName, region };
    const target = account.providers[to]?.location;
    if (target && sameLocation(from, target))
      throw invalidField('/to', 'is the place where the objects are');
    return { from, place, connectionId, population: async () => population };
  }
  throw invalidField('/from/bucketName', 'is in no completed scan of the connection');
}

async function plan(
  deps: DrillDeps,
  { accountId }: Account,
  { sample }: DrillRequest,
  source: Source & { readonly to: StoreLocation },
): Promise<{ readonly estimate: DrillEstimate; readonly sampleFiles: number }> {
  const { priceBook } = deps;
  const { from, to, connectionId } = source;
  const { groups: all, bySize } = await source.population();
  const groups = readable(priceBook, from, all);
  const whole = {
    files: sumBy(groups, ({ objects }) => objects),
    bytes: sumBy(groups, ({ bytes }) => bytes),
  };
  const sampleFiles = filesFor(sample, whole);
  const freeGb = await findFreeGb(deps, { accountId, from, to, connectionId }, groups);
  // A size band has a stratum for each age and prefix, or priority.
  const names = new Set(groups.map(({ ageBand, prefix }) => `${ageBand} ${prefix}`)).size;
  const strata = connectionId === null ? names * PRIORITIES.length : names;
  const most = (files: number) => Math.min(whole.bytes, mostBytes(files, bySize, strata));
  // A sample of so many bytes has more only where one object has.
  const allowed = 'bytes' in sample ? Math.max(sample.bytes, most(1)) : Number.POSITIVE_INFINITY;
  const bytes = Math.min(allowed, most(sampleFiles));
  const scaled = scaleGroups(groups, { files: sampleFiles, bytes });
  const listed = connectionId === null ? 0 : whole.files;
  return { estimate: estimateDrill(priceBook, { from, to, freeGb }, scaled, listed), sampleFiles };
}
