import { randomUUID } from 'node:crypto';
import type { Account } from '../../domain/account.ts';
import { CATALOGUE, type StoreLocation } from '../../domain/catalogue.ts';
import { entitle, planLimit } from '../../domain/entitlement.ts';
import { AppError } from '../../domain/errors.ts';
import { uploadKey } from '../../domain/file-name.ts';
import type { FileRecord } from '../../domain/file.ts';
import type { Plans } from '../../domain/plan.ts';
import type { PriceBook } from '../../domain/price-book.ts';
import { route, type Routing } from '../../domain/routing.ts';
import { addSeconds, monthOf } from '../../domain/time.ts';
import type { Files } from '../../adapters/mongo/files.ts';
import type { Quota } from '../../adapters/mongo/quota.ts';
import type { AccountStores } from '../../adapters/object-store/account-stores.ts';
import type { UploadCommands } from '../../adapters/temporal/upload-commands.ts';
import type { UploadState } from '../../messages/messages.ts';
import { presentCompleted, presentInit } from '../present/file.ts';
import { defineRoute, type Route } from '../route.ts';
import { CompleteReply, FileId, InitReply, InitRequest } from '../schemas.ts';
import { withStoreErrors } from '../store-errors.ts';

/** A look at a store while the caller waits. */
const STORE_TIMEOUT_MS = 4_000;

export interface UploadRoutesDeps {
  readonly files: Files;
  readonly quota: Quota;
  readonly stores: AccountStores;
  readonly uploads: UploadCommands;
  readonly plans: Plans;
  readonly priceBook: PriceBook;
  readonly uploadUrlSeconds: number;
  readonly uploadGraceSeconds: number;
  readonly now: () => Date;
}

/** `fileName`, `contentType`, `fileSizeBytes` and `priority` of an upload, checked. */
interface Announcement {
  readonly fileName: string;
  readonly contentType: string;
  readonly fileSizeBytes: number;
  readonly priority?: FileRecord['priority'];
}

export function createUploadRoutes(deps: UploadRoutesDeps): Route[] {
  const { files, quota, stores, uploads, plans, priceBook, now } = deps;

  /** Refuses in the fixed order, plan before providers, and books nothing where it refuses. */
  async function routeAndBook(
    account: Account,
    announced: Announcement,
    createdAt: Date,
  ): Promise<Routing> {
    const period = { accountId: account.accountId, month: monthOf(createdAt) };
    const limits = plans[account.plan];
    const { fileSizeBytes: sizeBytes, priority = 'hot' } = announced;
    let routing: Routing;
    try {
      routing = route({ priority, sizeBytes, configured: configuredStores(account) }, priceBook);
    } catch (error) {
      const booked = await quota.read(period);
      entitle(account.plan, limits, { what: 'upload', sizeBytes, booked });
      throw error;
    }
    if (!(await quota.book(period, sizeBytes, limits)))
      throw planLimit(account.plan, limits, 'upload');
    return routing;
  }

  function describe(
    account: Account,
    announced: Announcement,
    { decision, savedVsAws }: Routing,
    createdAt: Date,
  ): FileRecord {
    const fileId = randomUUID();
    const urlExpiresAt = addSeconds(createdAt, deps.uploadUrlSeconds);
    return {
      fileId,
      accountId: account.accountId,
      status: 'pending',
      fileName: announced.fileName,
      contentType: announced.contentType,
      sizeBytes: announced.fileSizeBytes,
      priority: decision.priority,
      location: locationOf(account, decision.provider),
      objectKey: uploadKey(fileId, announced.fileName),
      routing: decision,
      savedVsAws,
      month: monthOf(createdAt),
      createdAt,
      urlExpiresAt,
      deadline: addSeconds(urlExpiresAt, deps.uploadGraceSeconds),
    };
  }

  /** The workflow before the file: so there is never a pending file that nobody holds. */
  async function hold(file: FileRecord): Promise<void> {
    try {
      await uploads.start(file);
    } catch (error) {
      await giveUp(file).catch(() => undefined);
      throw error;
    }
    await files.insert(file);
  }

  /**
   * Without a workflow no file will be inserted, so what was booked goes back at once. Where even
   * that fails, and where an insert failed that may yet happen, the reconciliation sees to it.
   */
  async function giveUp(file: FileRecord): Promise<void> {
    await files.insertTombstone(file, now());
    await quota.release(file, { bytes: file.sizeBytes, uploads: 1 });
  }

  /** Only an object that is there becomes a command, so polling costs Temporal nothing. */
  async function requireObject(account: Account, file: FileRecord): Promise<void> {
    const found = await withStoreErrors(file.location, () =>
      stores.at(account, file.location).head(file.objectKey, { timeoutMs: STORE_TIMEOUT_MS }),
    );
    if (!found) throw new AppError('file_not_on_provider');
    if (found.sizeBytes === file.sizeBytes) return;
    throw new AppError(
      'file_size_mismatch',
      `The object has ${found.sizeBytes} bytes; ${file.sizeBytes} were announced.`,
    );
  }

  return [
    defineRoute({
      method: 'POST',
      path: '/v1/upload/init',
      auth: 'apiKey',
      summary: 'Choose a store for a file and get a URL to put it there',
      body: InitRequest,
      replies: { 201: InitReply },
      refusals: ['plan_limit', 'no_providers_configured', 'file_too_large'],
      async handle({ account, body }) {
        const createdAt = now();
        const routing = await routeAndBook(account, body, createdAt);
        const file = describe(account, body, routing, createdAt);
        await hold(file);
        const url = await stores.at(account, file.location).presignUpload({
          key: file.objectKey,
          contentType: file.contentType,
          sizeBytes: file.sizeBytes,
          expiresInSeconds: deps.uploadUrlSeconds,
          signedAt: createdAt,
        });
        return { status: 201, body: presentInit(file, { url, expiresAt: file.urlExpiresAt }) };
      },
    }),

    defineRoute({
      method: 'POST',
      path: '/v1/upload/complete',
      auth: 'apiKey',
      summary: 'Say that the bytes were sent; the service looks for them',
      body: FileId,
      replies: { 200: CompleteReply },
      refusals: [
        'file_not_found',
        'file_not_on_provider',
        'file_size_mismatch',
        'file_expired',
        'file_deleted',
        'provider_not_configured',
        'provider_error',
      ],
      async handle({ account, body: { fileId } }) {
        const file = await files.find({ fileId, accountId: account.accountId });
        if (!file) throw new AppError('file_not_found');
        if (file.status === 'pending') {
          await requireObject(account, file);
          const state = await uploads.complete(file);
          return { status: 200, body: presentCompleted(file, completedAt(state)) };
        }
        const state = { status: file.status, completedAt: file.completedAt?.toISOString() };
        return { status: 200, body: presentCompleted(file, completedAt(state)) };
      },
    }),
  ];
}

function completedAt(state: {
  status: UploadState['status'];
  completedAt?: string | undefined;
}): string {
  switch (state.status) {
    case 'active':
      if (state.completedAt === undefined) throw new Error('an active file has no completedAt');
      return state.completedAt;
    case 'expired':
      throw new AppError('file_expired');
    case 'deleting':
    case 'deleted':
      throw new AppError('file_deleted');
    case 'missing':
      throw new AppError('file_not_found');
    case 'pending':
      throw new AppError('unavailable');
  }
}

function configuredStores(account: Account): StoreLocation[] {
  return Object.values(account.providers).map(({ location }) => location);
}

function locationOf(account: Account, provider: FileRecord['location']['provider']): StoreLocation {
  const stored = account.providers[provider];
  if (!stored) throw new Error(`${CATALOGUE[provider].title} was chosen but is not configured`);
  return stored.location;
}
