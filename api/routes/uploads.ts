import { completeUpload, type UploadCompletionDeps } from '../operations/upload-completion.ts';
import { initUpload, type UploadInitDeps } from '../operations/upload-init.ts';
import { presentCompleted, presentInit } from '../present/file.ts';
import { defineRoute, type Route } from './route.ts';
import { CompleteReply, FileId, InitReply, InitRequest } from '../schemas/uploads.ts';

export type UploadRoutesDeps = UploadInitDeps & UploadCompletionDeps;

export function createUploadRoutes(deps: UploadRoutesDeps): Route[] {
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
        return { status: 201, body: presentInit(await initUpload(deps, account, body)) };
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
        return { status: 200, body: presentCompleted(await completeUpload(deps, account, fileId)) };
      },
    }),
  ];
}
