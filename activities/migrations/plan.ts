import type { ApprovedRecommendation } from '../../adapters/mongo/recommendations/recommendations.ts';
import { NO_COUNTS } from '../../domain/migrations/counts.ts';
import type { Acls } from '../../domain/migrations/migration.ts';
import { findRequest, roundId } from '../../domain/migrations/rounds.ts';
import { MigrationStopError } from '../../domain/migrations/stop.ts';
import type {
  BegunMigration,
  ManifestSlice,
  MigrationRoundKey,
  MigrationOpening,
  MigrationResume,
  OpenedMigration,
} from '../../messages/migration.ts';
import type { MigrationContext } from '../contexts.ts';
import { addPages, requireCovered } from './manifest.ts';
import { atStores, callsOf, classifyStoreError, openRun, type MigrationRun } from './run.ts';
import { measureCapabilities, OF_COPIES } from '../../operations/providers/capabilities.ts';
import {
  canaryFolder,
  tryReading,
  tryUploading,
  tryWriting,
  type WritingDeps,
} from './preflight.ts';
import { measuredAt } from '../../domain/accounts/account.ts';
import { UNPROVABLE } from '../../operations/migrations/target-trial.ts';
import type { Trial } from '../../operations/providers/upload-trial.ts';
import { keyPrefixOf } from '../../domain/decision/types.ts';
import { retryCall } from '../../adapters/object-store/call-bounds.ts';

export type MigrationPlanning = ReturnType<typeof createMigrationPlanning>;

/** The planning of a migration: store it, try the stores, list the objects, check the quote. */
export function createMigrationPlanning(context: MigrationContext) {
  return {
    openMigration: (key: MigrationRoundKey) => openMigration(context, key),
    tryStores: (key: MigrationRoundKey) => tryStores(context, key),
    buildManifest: (key: MigrationRoundKey) => buildManifest(context, key),
  };
}

/** Stores the migration. @returns what operators may see, and the progress of an earlier run */
async function openMigration(
  context: MigrationContext,
  key: MigrationRoundKey,
): Promise<MigrationOpening> {
  const { recommendations, migrations, scans, now } = context;
  const approved = await recommendations.findApproved(key);
  const scan = approved && (await scans.findScan(approved));
  if (!approved || !scan)
    throw new MigrationStopError('internal_error', 'The approval of this migration is missing.');
  const { approvedAt, cancelRequestedAt } = approved.approval;
  const opened = toOpened(approved, key);
  const { migrationId, accountId, round } = key;
  const isNew =
    round === 1
      ? await migrations.openMigration({
          migrationId,
          accountId,
          cloudAccountId: approved.cloudAccountId,
          asOf: scan.startedAt,
          approvedAt,
          startedAt: now(),
        })
      : await migrations.openRound({ migrationId, accountId, round }, now());
  return {
    ...opened,
    ...(cancelRequestedAt ? { isCancelled: true } : {}),
    ...(isNew ? {} : { begun: await readBegun(context, opened, key) }),
  };
}

/**
 * The progress of an earlier run. Pages are copied from the first one again, which costs little for
 * finished ones: the ledger holds their objects.
 */
async function readBegun(
  { migrations, manifests, now }: MigrationContext,
  opened: OpenedMigration,
  key: MigrationRoundKey,
): Promise<BegunMigration> {
  const record = await migrations.findMigration(key);
  const { round } = key;
  if (!record || record.round < round) throw new Error('the migration is not stored');
  const earlier = record.earlierRounds.find(({ number }) => number === round);
  if (earlier) return { status: earlier.status };
  const endReason = await migrations.findEndReason(key);
  const { manifest, status } = record;
  const begun = { status, ...(endReason ? { endReason } : {}) };
  if (!manifest) return begun;
  const phase = status === 'verifying' ? status : 'copying';
  const resume: MigrationResume = {
    opened,
    phase,
    manifest: { isWhole: true, ...manifest },
    nextPage: 0,
    waiting: [],
    // A verification counts changes; a copy counts every page again.
    settled: phase === 'verifying' ? await manifests.counts(roundId(key)) : NO_COUNTS,
    open: [],
    sinceMs: now().getTime(),
    lastFailure: null,
  };
  return { ...begun, resume };
}

/** @throws MigrationStop if nobody has asked for the round. */
function toOpened(
  { bucket, selector, approval }: ApprovedRecommendation,
  { round }: MigrationRoundKey,
): OpenedMigration {
  const { target, keyPrefix, quote } = approval;
  const places = {
    from: `${bucket}/${keyPrefixOf(selector)}`,
    provider: target.provider,
    to: `${target.provider}:${target.bucketName}/${keyPrefix}`,
  };
  if (round === 1) {
    const { requestId } = approval;
    const approvedBy = describePerson(approval.approvedBy, approval.approvedByName);
    return { ...places, round, approvedBy, quotedUsd: quote.totalUsd, requestId };
  }
  const request = findRequest(approval, { round });
  if (!request) throw new MigrationStopError('internal_error', 'Nobody has asked for this round.');
  const { maxTotalUsd: quotedUsd, requestId } = request;
  const approvedBy = describePerson(request.startedBy, request.startedByName);
  return { ...places, round, approvedBy, quotedUsd, requestId };
}

function describePerson(subject: string, name: string): string {
  return name === subject ? subject : `${name} (${subject})`;
}

async function tryStores(
  context: MigrationContext,
  key: MigrationRoundKey,
): Promise<{ acls: Acls }> {
  const run = await openRun(context, key);
  await atStores(context, run, () => tryBoth(context, run));
  const allowed = await run.source.allowsAcls().catch(() => undefined);
  const acls = allowed === undefined ? 'unknown' : allowed ? 'not_carried' : 'none';
  await context.migrations.noteAcls(key, acls);
  return { acls };
}

async function tryBoth(context: MigrationContext, run: MigrationRun): Promise<void> {
  const { request, recommendation, record, source, target } = run;
  const { selector, approval } = recommendation;
  const { metadata } = context.priceBook.catalogue.entry(approval.targetProvider);
  const { migrationId } = record;
  const canary = { target, keyPrefix: approval.keyPrefix, migrationId, metadata };
  const calls = callsOf(context);
  const tryToRead = () => tryReading(source, keyPrefixOf(selector));
  // A later round leaves alone what is copied; its listing and its copies try the source.
  if (!request)
    await retryCall(calls, tryToRead).catch((error: unknown) => {
      throw classifyStoreError(context, approval.source.provider, error);
    });
  await retryCall(calls, () => tryTarget(context, run, canary)).catch((error: unknown) => {
    throw classifyStoreError(context, approval.target.provider, error);
  });
}

/**
 * Writes to the target as the copies do, measures what they rely on, unless a test of the provider
 * has, and stores what both have found with the migration, which stays at its place where the
 * provider gets another one.
 *
 * @throws StoreError; MigrationStop if what is written there could not be proven
 */
async function tryTarget(
  { migrations, migrationUploads, priceBook, now }: MigrationContext,
  { key, account, recommendation, record, target }: MigrationRun,
  canary: WritingDeps,
): Promise<void> {
  const { migrationId } = record;
  const { target: place } = recommendation.approval;
  const uploads: NonNullable<Trial['uploads']> = {
    // No copy resumes it.
    note: (upload) => migrationUploads.note(migrationId, { ...upload, sourceEtag: '' }, now()),
    remove: (uploadId) => migrationUploads.remove(migrationId, uploadId),
  };
  const [whole, inParts] = [await tryWriting(canary), await tryUploading(canary, uploads)];
  const tested = measuredAt(account, place);
  const untested = OF_COPIES.filter((name) => tested[name] === undefined);
  const trial = { store: target, folder: canaryFolder(canary), options: {}, uploads };
  const { capabilities } = await measureCapabilities(trial, untested);
  const opaqueEtags = whole.isOpaque || inParts.isOpaque;
  const measured = { ...capabilities, ...tested };
  if (opaqueEtags && measured.contentMd5 === false)
    throw new MigrationStopError(
      'provider_error',
      `${priceBook.catalogue.titleOf(place.provider)} (${place.provider}), bucket ${place.bucketName}: ${UNPROVABLE}.`,
    );
  await migrations.noteTarget(key, { ...measured, opaqueEtags });
}

async function buildManifest(
  context: MigrationContext,
  key: MigrationRoundKey,
): Promise<ManifestSlice> {
  const run = await openRun(context, key);
  const { manifest } = run.record;
  if (manifest) return { isWhole: true, ...manifest };
  const { provider } = run.recommendation.approval.source;
  const progress = await atStores(context, run, () => addPages(context, run)).catch(
    (error: unknown) => {
      throw classifyStoreError(context, provider, error);
    },
  );
  const { pages, objects, bytes, isWhole } = progress;
  if (isWhole) {
    const costUsd = requireCovered(context.priceBook, run, progress);
    const { unchanged, gone, released } = progress;
    const compared = run.request ? { unchanged, gone, released, costUsd } : {};
    await context.migrations.seal(key, { pages, objects, bytes, ...compared }, context.now());
  }
  return { isWhole, pages, objects, bytes };
}
