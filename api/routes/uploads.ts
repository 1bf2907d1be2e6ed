import { completeUpload, type UploadCompletionDeps } from '../operations/upload-completion.ts';
import { initUpload, type UploadInitDeps } from '../operations/upload-init.ts';
import { getParts, presignParts } from '../operations/upload-parts.ts';
import { createPendingLimit, type PendingLimitDeps } from '../operations/pending-limit.ts';
import { refreshUploadUrl } from '../operations/upload-url.ts';
import {
  presentCompleted,
  presentInit,
  presentPartUrls,
  presentParts,
  presentUploadUrl,
} from '../present/file.ts';
import { defineRoute, type Route } from './route.ts';
import {
  CompleteReply,
  FileId,
  InitReply,
  InitRequest,
  PartsPageReply,
  PartsQuery,
  PartsReply,
  PartsRequest,
  UrlReply,
} from '../schemas/uploads.ts';

/** Refusals of calls that give URLs. */
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
      body: InitRequest,
      replies: { 201: InitReply },
      refusals: ['plan_limit', 'no_providers_configured', 'file_too_large', 'provider_error'],
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
  ];
}
