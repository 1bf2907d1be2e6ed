import { call, type Answer, type Send } from '../customer.ts';
import type { StoredFile } from './files.ts';
import { violationOf, type Violation } from './invariant.ts';

/** What the service has answered about a file, the latest counts. */
type Promised = 'announced' | 'completed' | 'deleted';

/** Records what the service acknowledges. */
export interface Acknowledgements {
  /** Sends a call and records its answer. */
  readonly send: Send;
  readonly files: ReadonlyMap<string, Promised>;
}

/** @param send sends the calls; without an answer nothing is recorded */
export function recordAcknowledgements(send: Send = call): Acknowledgements {
  const files = new Map<string, Promised>();
  return {
    files,
    async send(baseUrl, route, options) {
      const answer = await send(baseUrl, route, options);
      const promised = promiseOf(route, answer);
      if (promised) files.set(fileIdOf(route, options?.body, answer), promised);
      return answer;
    },
  };
}

/** `acknowledged`: each file is at least where an answer said that it was. */
export function checkAcknowledged(
  acknowledged: ReadonlyMap<string, Promised>,
  files: readonly StoredFile[],
): Violation[] {
  const byId = new Map(files.map((file) => [file._id, file]));
  const lost = [...acknowledged].filter(([fileId, promised]) => {
    const file = byId.get(fileId);
    return !file || file.tombstone === true || !isKept(file, promised);
  });
  return violationOf(
    'acknowledged',
    lost.map(([fileId, promised]) => `${fileId} (${promised})`),
  );
}

function promiseOf(route: string, { status }: Answer): Promised | undefined {
  if (route === 'POST /v1/upload/init' && status === 201) return 'announced';
  if (route === 'POST /v1/upload/complete' && status === 200) return 'completed';
  if (route.startsWith('DELETE /v1/file/') && (status === 200 || status === 202)) return 'deleted';
  return undefined;
}

function fileIdOf(route: string, body: unknown, answer: Answer): string {
  if (route.startsWith('DELETE ')) return route.slice(route.lastIndexOf('/') + 1);
  const fromBody = (body as { fileId?: string } | undefined)?.fileId;
  return fromBody ?? String(answer.body['fileId']);
}

function isKept(file: StoredFile, promised: Promised): boolean {
  switch (promised) {
    case 'announced':
      return true;
    case 'completed':
      return file.completedAt !== undefined;
    case 'deleted':
      return file.status === 'deleted' || file.deleteStoppedAt !== undefined;
  }
}
