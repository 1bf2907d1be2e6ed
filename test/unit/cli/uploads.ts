import type { StorageRoutingClient } from '../../../sdk/src/index.ts';
import { FILE_ID } from './terminal.ts';

export type Upload = StorageRoutingClient['upload'];
type Request = Parameters<Upload>[0];

/** What a resumed upload answers. */
export const completed = {
  fileId: FILE_ID,
  status: 'active',
  provider: 'r2',
  fileSizeBytes: 5,
  completedAt: '2026-11-20T12:00:01.000Z',
} as const;
export const done = { ...completed, savedVsAws: 0.09024, savedVsAwsFixed: '0.090240' };

/** A client that records the requested uploads, of which some may fail. */
export function uploader(outcome: (request: Request) => Error | undefined = () => undefined) {
  const requests: Request[] = [];
  const upload: Upload = async (request) => {
    requests.push(request);
    const error = outcome(request);
    if (error) throw error;
    request.onProgress?.({ sentBytes: 5, totalBytes: 5 });
    return done;
  };
  const names = (): (string | undefined)[] => requests.map(({ fileName }) => fileName);
  return { client: { upload }, requests, names };
}
