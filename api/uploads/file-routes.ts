import { deleteFile, getFile, type FileDeps } from './files.ts';
import { presentDeletion, presentFile } from './present.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { DeletedReply, DeletingReply, FileId, FileView } from './schemas.ts';

export function createFileRoutes(deps: FileDeps): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/v1/file/{fileId}',
      auth: 'apiKey',
      summary: 'Describe a file, with a URL to download it while it is active',
      description:
        'State, size, and the routing decision with its reason. `downloadUrl` serves the original file name; it is null unless the file is `active`.',
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
        'Answers 200 when the object is gone from its store. Where the store does not delete it within seconds: 202, and the service repeats the delete by itself. It may be called again.',
      params: FileId,
      replies: { 200: DeletedReply, 202: DeletingReply },
      refusals: ['file_not_found', 'provider_not_configured'],
      mayTakeLong: () => true,
      async handle({ account, params: { fileId } }) {
        const deletion = await deleteFile(deps, account, fileId);
        return { status: deletion.deletedAt ? 200 : 202, body: presentDeletion(deletion) };
      },
    }),
  ];
}
