import { setTimeout as wait } from 'node:timers/promises';
import type { Account } from '../../domain/account.ts';
import { AppError } from '../../domain/errors.ts';
import type { FileRecord } from '../../domain/file.ts';
import { addSeconds } from '../../domain/time.ts';
import type { Files } from '../../adapters/mongo/files.ts';
import type { AccountStores } from '../../adapters/object-store/account-stores.ts';
import type { UploadCommands } from '../../adapters/temporal/upload-commands.ts';
import { presentDeleted, presentDeleting, presentFile, type TimedUrl } from '../present/file.ts';
import { defineRoute, type Reply, type Route } from '../route.ts';
import { DeletedReply, DeletingReply, FileId, FileView } from '../schemas.ts';

const DOWNLOAD_URL_SECONDS = 3600;
/** How long a delete's caller is kept waiting for the store. */
const DELETE_ANSWER_WITHIN_MS = 2_500;
const LOOK_AGAIN_MS = 25;

export interface FileRoutesDeps {
  readonly files: Files;
  readonly stores: AccountStores;
  readonly uploads: UploadCommands;
  readonly now: () => Date;
}

export function createFileRoutes({ files, stores, uploads, now }: FileRoutesDeps): Route[] {
  async function find(account: Account, fileId: string): Promise<FileRecord> {
    const file = await files.find({ fileId, accountId: account.accountId });
    if (!file) throw new AppError('file_not_found');
    return file;
  }

  async function downloadUrl(account: Account, file: FileRecord): Promise<TimedUrl | undefined> {
    // Asked for before the status: a file whose provider is gone cannot be reached at all.
    const store = stores.at(account, file.location);
    if (file.status !== 'active') return undefined;
    const signedAt = now();
    const url = await store.presignDownload({
      key: file.objectKey,
      fileName: file.fileName,
      expiresInSeconds: DOWNLOAD_URL_SECONDS,
      signedAt,
    });
    return { url, expiresAt: addSeconds(signedAt, DOWNLOAD_URL_SECONDS) };
  }

  /** Only what is stored may be promised: from `deleting` on, nobody has to call again. */
  async function answerDelete(account: Account, fileId: string): Promise<Reply> {
    const until = Date.now() + DELETE_ANSWER_WITHIN_MS;
    for (;;) {
      const { status, deletedAt } = await find(account, fileId);
      if (status === 'deleted' && deletedAt) {
        return { status: 200, body: presentDeleted(fileId, deletedAt.toISOString()) };
      }
      if (status !== 'deleting') throw new AppError('unavailable');
      if (Date.now() > until) return { status: 202, body: presentDeleting(fileId) };
      await wait(LOOK_AGAIN_MS);
    }
  }

  return [
    defineRoute({
      method: 'GET',
      path: '/v1/file/{fileId}',
      auth: 'apiKey',
      summary: 'Describe a file, with a URL to download it while it is active',
      params: FileId,
      replies: { 200: FileView },
      refusals: ['file_not_found', 'file_deleted', 'provider_not_configured'],
      async handle({ account, params: { fileId } }) {
        const file = await find(account, fileId);
        if (file.status === 'deleting' || file.status === 'deleted')
          throw new AppError('file_deleted');
        return { status: 200, body: presentFile(file, await downloadUrl(account, file)) };
      },
    }),

    defineRoute({
      method: 'DELETE',
      path: '/v1/file/{fileId}',
      auth: 'apiKey',
      summary: 'Delete a file from its store',
      params: FileId,
      replies: { 200: DeletedReply, 202: DeletingReply },
      refusals: ['file_not_found', 'provider_not_configured'],
      async handle({ account, params: { fileId } }) {
        const file = await find(account, fileId);
        if (file.status !== 'deleted' && (file.status !== 'deleting' || file.deletePending)) {
          stores.at(account, file.location);
          await uploads.delete(file);
        }
        return answerDelete(account, fileId);
      },
    }),
  ];
}
