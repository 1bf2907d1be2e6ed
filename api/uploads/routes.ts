import { completeUpload, type UploadCompletionDeps } from '../../operations/uploads/completion.ts';
import { initUpload, type UploadInitDeps } from '../../operations/uploads/init.ts';
import { deleteFile, getFile } from '../../operations/uploads/files.ts';
import { getParts, presignParts } from '../../operations/uploads/parts.ts';
import {
  createPendingLimit,
  type PendingLimitDeps,
} from '../../operations/uploads/pending-limit.ts';
import { refreshUploadUrl } from '../../operations/uploads/url.ts';
import {
  presentCompleted,
  presentFile,
  presentInit,
  presentPartUrls,
  presentParts,
  presentUploadUrl,
} from './present.ts';
import { defineRoute, type Route } from '../http/route.ts';
import {
  CompleteReply,
  DeletedReply,
  DeletingReply,
  FileId,
  FileView,
  InitReply,
  InitRequest,
  PartsPageReply,
  PartsQuery,
  PartsReply,
  PartsRequest,
  UrlReply,
} from './schemas.ts';

/** Error codes of calls that return URLs. */
const URL_REFUSALS = [
  'file_not_found',
  'file_already_active',
  'file_expired',
  'file_deleted',
  'provider_not_configured',
] as const;

export type UploadRoutesDeps = Omit<UploadInitDeps, 'requirePendingRoom'> &
  PendingLimitDeps &
  UploadCompletionDeps;

export function createUploadRoutes(deps: UploadRoutesDeps): Route[] {
  const requirePendingRoom = createPendingLimit(deps, () => performance.now());
  return [
    defineRoute({
      method: 'POST',
      path: '/v1/upload/init',
      auth: 'apiKey',
      summary: 'Choose a store for a file and get a URL to put it there',
      description:
        'The first step of an upload. The answer names the chosen store and has a presigned URL; send the bytes there by PUT with the `requiredHeaders`, then call `POST /v1/upload/complete`. `priority` decides: `hot` prefers the store without egress fees, `archive` the archive store, `cold` the lowest cost. With `multipart: true` the answer has the part size instead of a URL (`POST /v1/upload/parts`). Where the chosen store was measured to refuse an upload without a digest (`object_lock` of `POST /v1/providers/test`), `contentMd5` is required; with `multipart` such a store is passed over. It counts against the quotas of the month; an upload that expires, or is deleted before its complete, gives them back.',
      body: InitRequest,
      replies: { 201: InitReply },
      refusals: [
        'plan_limit',
        'no_providers_configured',
        'file_too_large',
        'provider_not_usable',
        'provider_error',
      ],
      mayTakeLong: ({ body }) => body.multipart === true,
      async handle({ account, body }) {
        return {
          status: 201,
          body: presentInit(await initUpload({ ...deps, requirePendingRoom }, account, body)),
        };
      },
    }),

    defineRoute({
      method: 'POST',
      path: '/v1/upload/complete',
      auth: 'apiKey',
      summary: 'Say that the bytes were sent; the service looks for them',
      description:
        'The last step of an upload. The service looks for the object at the store, with the announced size, and assembles a multipart upload first. It may be repeated at any time: the answer stays the same and the upload is recorded once. If the object is missing, the file stays `pending`, and the call may be made again.',
      body: FileId,
      replies: { 200: CompleteReply },
      refusals: [
        'file_not_found',
        'file_not_on_provider',
        'file_size_mismatch',
        'file_incomplete',
        'file_expired',
        'file_deleted',
        'provider_not_configured',
        'provider_error',
      ],
      mayTakeLong: () => true,
      async handle({ account, body: { fileId } }) {
        return { status: 200, body: presentCompleted(await completeUpload(deps, account, fileId)) };
      },
    }),

    defineRoute({
      method: 'POST',
      path: '/v1/upload/url',
      auth: 'apiKey',
      summary: 'Get a fresh URL for the PUT of a pending file',
      description:
        'For an upload whose URL has expired, or was lost: the same key, type and size, until the window of the upload closes.',
      body: FileId,
      replies: { 200: UrlReply },
      refusals: ['file_is_multipart', ...URL_REFUSALS],
      async handle({ account, body: { fileId } }) {
        const url = await refreshUploadUrl(deps, account, fileId);
        return { status: 200, body: presentUploadUrl(url) };
      },
    }),

    defineRoute({
      method: 'POST',
      path: '/v1/upload/parts',
      auth: 'apiKey',
      summary: 'Get URLs for parts of a multipart upload',
      description:
        'URLs for 1 to 100 parts of a multipart upload. A PUT to such a URL needs no header. URLs may be requested as often as needed, and a part that is sent again replaces the one before.',
      body: PartsRequest,
      replies: { 200: PartsReply },
      refusals: ['file_not_multipart', ...URL_REFUSALS],
      async handle({ account, body }) {
        return { status: 200, body: presentPartUrls(await presignParts(deps, account, body)) };
      },
    }),

    defineRoute({
      method: 'GET',
      path: '/v1/upload/parts/{fileId}',
      auth: 'apiKey',
      summary: 'List the parts that the store holds, to resume a multipart upload',
      description:
        'Up to 1,000 parts in a page, with their sizes. If `next` is a number, the next page is `?after=<next>`. To resume, send the parts that are not listed.',
      params: FileId,
      query: PartsQuery,
      replies: { 200: PartsPageReply },
      refusals: ['file_not_multipart', 'provider_error', ...URL_REFUSALS],
      mayTakeLong: () => true,
      async handle({ account, params: { fileId }, query: { after } }) {
        const page = await getParts(deps, account, { fileId, after });
        return { status: 200, body: presentParts(page) };
      },
    }),

    defineRoute({
      method: 'GET',
      path: '/v1/file/{fileId}',
      auth: 'apiKey',
      summary: 'Describe a file, with a URL to download it while it is active',
      description:
        'State, size, and the routing decision with its reason. `downloadUrl` serves the original file name, cut to 200 bytes with its extension; it is null unless the file is `active`.',
      params: FileId,
      replies: { 200: FileView },
      refusals: ['file_not_found', 'file_deleted', 'provider_not_configured'],
      async handle({ account, params: { fileId } }) {
        return { status: 200, body: presentFile(await getFile(deps, account, fileId)) };
      },
    }),

    defineRoute({
      method: 'DELETE',
      path: '/v1/file/{fileId}',
      auth: 'apiKey',
      summary: 'Delete a file from its store',
      description:
        'Answers 200 once the object has been deleted from its store. If the store does not delete it within seconds, the answer is 202 and the service repeats the delete. The call can be repeated.',
      params: FileId,
      replies: { 200: DeletedReply, 202: DeletingReply },
      refusals: ['file_not_found', 'provider_not_configured'],
      mayTakeLong: () => true,
      async handle({ account, params: { fileId } }) {
        const { deletedAt } = await deleteFile(deps, account, fileId);
        if (!deletedAt) return { status: 202, body: { fileId, status: 'deleting' } as const };
        const body = { fileId, status: 'deleted', deletedAt: deletedAt.toISOString() } as const;
        return { status: 200, body };
      },
    }),
  ];
}
