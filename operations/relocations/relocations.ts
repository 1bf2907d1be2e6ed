import { randomUUID } from 'node:crypto';
import type { ManifestCounts } from '../../adapters/mongo/migrations/page-counts.ts';
import type { Listed, Page } from '../../adapters/mongo/common/pages.ts';
import {
  isAt,
  measuredAt,
  requireProvider,
  sameLocation,
  type Account,
} from '../../domain/accounts/account.ts';
import { describeActivity, type Actor } from '../../domain/accounts/activity.ts';
import { entitle } from '../../domain/accounts/entitlement.ts';
import { AppError, invalidField } from '../../domain/common/errors.ts';
import { NO_COUNTS, type MigrationCounts } from '../../domain/migrations/counts.ts';
import type { LedgerLine } from '../../domain/migrations/object-ledger.ts';
import { RATE_WINDOW_MS, recentBytesPerSecond } from '../../domain/migrations/progress.ts';
import {
  requireKnown,
  type ProviderName,
  type StoreLocation,
} from '../../domain/providers/catalogue.ts';
import {
  estimateRelocation,
  FileSums,
  freeEgressGb,
  overLimit,
  type RelocationEstimate,
} from '../../domain/relocations/estimate.ts';
import {
  isRunning,
  namesOf,
  selectionOf,
  type NamedPlace,
  type RelocationRecord,
  type RelocationSelection,
} from '../../domain/relocations/relocation.ts';
import type { Deps } from '../common/deps.ts';
import { readFailures } from '../migrations/report.ts';
import { tryTarget } from '../migrations/target-trial.ts';

export type RelocationDeps = Deps<'relocations' | 'files' | 'formerPlaces' | 'manifests'> &
  Deps<'activities' | 'relocationCommands' | 'temporal' | 'catalogue' | 'stores' | 'plans'> &
  Deps<'priceBook' | 'now' | 'onBackgroundError'>;

export interface RelocationRequest {
  readonly from: NamedPlace;
  readonly to: ProviderName;
  readonly select?: RelocationSelection;
  readonly maxTotalUsd?: number;
}

/** A relocation, with what its ledger says at one moment. */
export interface RelocationSnapshot {
  readonly relocation: RelocationRecord;
  readonly counts: MigrationCounts;
  readonly bytesInFlight: number;
  readonly bytesPerSecond: number;
  /** All are counted; these are the first. */
  readonly failures: readonly LedgerLine[];
}

interface Wanted {
  readonly from: StoreLocation;
  readonly to: StoreLocation | undefined;
  readonly select: RelocationSelection;
  readonly startedAt: Date;
}

/**
 * What a relocation would cost and save. Nothing is stored.
 *
 * @throws AppError `invalid_request`, `provider_not_configured`
 */
export async function estimate(
  deps: RelocationDeps,
  account: Account,
  request: RelocationRequest,
): Promise<RelocationEstimate> {
  const wanted = await findPlaces(deps, account, request);
  const to = wanted.to ?? requireProvider(account, request.to).location;
  return await estimateFiles(deps, account, { ...wanted, to });
}

/**
 * Begins a relocation. Checks in the fixed order of refusals; a unique index decides.
 *
 * @throws AppError `invalid_request`, `relocation_running`, `plan_limit`,
 * `provider_not_configured`, `provider_not_usable`, `quote_exceeded`, `unavailable`
 */
export async function startRelocation(
  deps: RelocationDeps,
  account: Account,
  actor: Actor,
  request: RelocationRequest,
): Promise<RelocationSnapshot> {
  const { relocations, plans, activities, relocationCommands, onBackgroundError } = deps;
  const { maxTotalUsd } = request;
  if (maxTotalUsd === undefined)
    throw invalidField('/maxTotalUsd', 'is required, unless dryRun is true');
  const wanted = await findPlaces(deps, account, request);
  const { accountId } = account;
  const { from, select, startedAt } = wanted;
  if (await relocations.isRunningAt(accountId, from)) throw new AppError('relocation_running');
  entitle(account.plan, plans[account.plan], { what: 'migration' });
  const { location: to } = requireProvider(account, request.to);
  await requireUsable(deps, account, { from, to });
  const { quote } = await estimateFiles(deps, account, { ...wanted, to });
  if (quote.totalUsd > maxTotalUsd) throw exceeded(quote.totalUsd, maxTotalUsd);
  await deps.temporal.ping();
  const { person, requestId } = actor;
  const relocation: RelocationRecord = {
    relocationId: randomUUID(),
    accountId,
    status: 'planning',
    from,
    to,
    select,
    quote,
    maxTotalUsd,
    startedBy: person.subject,
    startedByName: person.name,
    requestId,
    startedAt,
    after: null,
    pages: 0,
    files: 0,
    bytes: 0,
    page: 0,
    stopping: null,
    movedAt: null,
    completedAt: null,
    error: null,
    costUsd: 0,
  };
  const { relocationId } = relocation;
  const activity = describeActivity(actor, 'relocation.started', relocationId, startedAt);
  if (!(await relocations.insertRun(relocation, activity)))
    throw new AppError('relocation_running');
  // If its workflow cannot be started, the sweep starts it.
  await relocationCommands
    .startRelocation(relocation, namesOf(relocation))
    .catch(onBackgroundError);
  await activities.publish('relocations', relocationId).catch(onBackgroundError);
  return await toSnapshot(deps, relocation);
}

/** @throws AppError `relocation_not_found` */
async function findRelocation(
  { relocations }: Pick<RelocationDeps, 'relocations'>,
  { accountId }: Account,
  relocationId: string,
): Promise<RelocationRecord> {
  const relocation = await relocations.findRun({ relocationId, accountId });
  if (!relocation) throw new AppError('relocation_not_found');
  return relocation;
}

/** @throws AppError `relocation_not_found` */
export async function getRelocation(
  deps: RelocationDeps,
  account: Account,
  relocationId: string,
): Promise<RelocationSnapshot> {
  return await toSnapshot(deps, await findRelocation(deps, account, relocationId));
}

export async function listRelocations(
  deps: RelocationDeps,
  { accountId }: Account,
  page: Page,
): Promise<Listed<RelocationSnapshot>> {
  const { items, total } = await deps.relocations.listRuns(accountId, page);
  return { items: await Promise.all(items.map((each) => toSnapshot(deps, each))), total };
}

/**
 * Copies no further file; what is moved stays. After the copying it changes nothing.
 *
 * @throws AppError `relocation_not_found`
 */
export async function cancelRelocation(
  deps: RelocationDeps,
  account: Account,
  actor: Actor,
  relocationId: string,
): Promise<RelocationSnapshot> {
  const relocation = await findRelocation(deps, account, relocationId);
  if (isRunning(relocation)) {
    const activity = describeActivity(actor, 'relocation.cancelled', relocationId, deps.now());
    await deps.relocations.stop(relocation, { status: 'cancelled', error: null }, activity);
    await deps.activities.publish('relocations', relocationId).catch(deps.onBackgroundError);
  }
  return await getRelocation(deps, account, relocationId);
}

/** The lines of the files whose outcome is known, page by page. */
export async function* readRelocationReport(
  { manifests }: Pick<RelocationDeps, 'manifests'>,
  { relocationId, pages }: Pick<RelocationRecord, 'relocationId' | 'pages'>,
): AsyncGenerator<readonly LedgerLine[]> {
  for (let page = 0; page < pages; page += 1) {
    const lines = await manifests.lines(relocationId, page);
    if (lines.length > 0) yield lines;
  }
}

/** What the ledger of a relocation says so far. */
export async function countRelocated(
  manifests: Pick<ManifestCounts, 'confirmed'>,
  relocationId: string,
) {
  const confirmed = (await manifests.confirmed([relocationId])).get(relocationId);
  return confirmed ?? { counts: NO_COUNTS, bytesInFlight: 0 };
}

async function toSnapshot(
  { manifests, now }: RelocationDeps,
  relocation: RelocationRecord,
): Promise<RelocationSnapshot> {
  const { relocationId, status, startedAt } = relocation;
  const nowMs = now().getTime();
  const isCopying = status === 'copying';
  const [{ counts, bytesInFlight }, samples] = await Promise.all([
    countRelocated(manifests, relocationId),
    isCopying ? manifests.samplesSince(relocationId, new Date(nowMs - RATE_WINDOW_MS)) : [],
  ]);
  const failures = counts.failed > 0 ? await readFailures(manifests, relocationId) : [];
  const bytesPerSecond = isCopying
    ? recentBytesPerSecond(samples, { nowMs, beganMs: startedAt.getTime() })
    : 0;
  return { relocation, counts, bytesInFlight, bytesPerSecond, failures };
}

/** @throws AppError `invalid_request` */
export async function findPlaces(
  { formerPlaces, catalogue, now }: RelocationDeps,
  account: Account,
  { from: named, to: provider, select = {} }: RelocationRequest,
): Promise<Wanted> {
  requireKnown(catalogue, named.provider, '/from/provider');
  requireKnown(catalogue, provider, '/to');
  const current = account.providers[named.provider]?.location;
  const former = await formerPlaces.listFormerPlaces(account.accountId);
  const places = [...(current ? [current] : []), ...former.map(({ location }) => location)];
  const fitting = places.filter((place) =>
    Object.entries(named).every(([name, value]) => place[name as keyof StoreLocation] === value),
  );
  const [from, second] = fitting;
  if (!from) throw invalidField('/from', 'is no place of this account');
  if (second)
    throw invalidField('/from', 'fits several places: name region, accountId or jurisdiction too');
  const to = account.providers[provider]?.location;
  if (to && sameLocation(from, to)) throw invalidField('/to', 'is the place where the files are');
  return { from, to, select, startedAt: now() };
}

async function estimateFiles(
  deps: RelocationDeps,
  { accountId }: Account,
  { from, to, select, startedAt }: Wanted & { readonly to: StoreLocation },
): Promise<RelocationEstimate> {
  const { files, priceBook } = deps;
  const sums = new FileSums(priceBook, startedAt);
  const selection = selectionOf({ select, startedAt });
  for await (const file of files.readActiveAt(accountId, from, selection)) sums.add(file);
  const freeGb = await findFreeEgressGb(deps, accountId, from);
  return estimateRelocation(priceBook, { from, to }, sums.list(), freeGb);
}

/** The egress, in GB, that costs nothing at a place, by what the account stores there. */
export async function findFreeEgressGb(
  { files, priceBook }: Deps<'files' | 'priceBook'>,
  accountId: string,
  place: StoreLocation,
): Promise<number> {
  // Most stores give none: there the files need no sum.
  if (freeEgressGb(priceBook, place, 1) === 0) return 0;
  return freeEgressGb(priceBook, place, await files.sumActiveAt(accountId, place));
}

interface UsedPlaces {
  readonly from: StoreLocation;
  /** Whose credentials read the source; by default its own. */
  readonly place?: StoreLocation;
  readonly to: StoreLocation;
  /** Below which the target is tried. */
  readonly keyPrefix?: string;
}

/** @throws AppError `provider_not_configured`, `provider_not_usable`, `invalid_request` */
export async function requireUsable(
  { stores, catalogue }: Deps<'stores' | 'catalogue'>,
  account: Account,
  { from, place = from, to, keyPrefix = '' }: UsedPlaces,
): Promise<void> {
  const store = await stores.at(account, to);
  const source = await stores.at(account, from, place);
  const capabilities = isAt(account, to) ? measuredAt(account, to) : {};
  const { failure, isSource } = await tryTarget(source, { store, keyPrefix, capabilities });
  if (isSource) throw invalidField('/to', 'is the bucket where the files are, under another name');
  if (failure === null) return;
  const title = catalogue.titleOf(to.provider);
  throw new AppError(
    'provider_not_usable',
    `${title} (${to.provider}), bucket ${to.bucketName}: ${failure}.`,
  );
}

export function exceeded(
  totalUsd: number,
  maxTotalUsd: number,
  path = '/quote/totalUsd',
): AppError {
  return new AppError('quote_exceeded', overLimit(totalUsd, maxTotalUsd), {
    details: [{ path, message: String(totalUsd) }],
  });
}
