/**
 * The part of a web application's backend that lets its pages upload: it passes the calls of an upload on to the Storage
 * Routing Service with the API key, for the files of the user who asks. The bytes do not come through here.
 *
 * ```ts
 * const answer = createUploadBackend({ serviceUrl, apiKey, userOf, owners });
 * createServer((request, response) => {
 *   if (request.url?.startsWith('/uploads/')) return answer(request, response, '/uploads');
 *   …
 * });
 * ```
 */
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Which user started which file. Keep it in your database. */
export interface FileOwners {
  add(fileId: string, user: string): Promise<void>;
  ownerOf(fileId: string): Promise<string | undefined>;
}

interface UploadBackend {
  /** The address of the Storage Routing Service. */
  serviceUrl: string;
  apiKey: string;
  /** The user who sends the request, by your cookie or token; undefined for none. */
  userOf(request: IncomingMessage): Promise<string | undefined>;
  owners: FileOwners;
}

/** The calls of an upload. A page needs no others. */
const INIT = 'POST /v1/upload/init';
const OF_A_FILE_IN_THE_BODY = /^POST \/v1\/upload\/(?:parts|url|complete)$/;
const OF_A_FILE_IN_THE_PATH = /^(?:GET \/v1\/upload\/parts|(?:GET|DELETE) \/v1\/file)\/([\w-]+)$/;

/** Far above any call of an upload. */
const LARGEST_BODY_BYTES = 64 * 1024;

/** Answers one request; `prefix` is what comes before `/v1` in its path. */
export function createUploadBackend(backend: UploadBackend) {
  return async (
    request: IncomingMessage,
    response: ServerResponse,
    prefix: string,
  ): Promise<void> => {
    const path = (request.url ?? '').slice(prefix.length);
    const call = `${request.method} ${path.replace(/\?.*/, '')}`;
    const body = await readBody(request);
    if (body === undefined) return refuse(response, 413, 'payload_too_large');
    const user = await backend.userOf(request);
    if (user === undefined) return refuse(response, 401, 'unauthorized');
    if (call !== INIT) {
      const fileId = readFileId(call, body);
      if (fileId === undefined) return refuse(response, 404, 'not_found');
      const owner = await backend.owners.ownerOf(fileId);
      if (owner !== user) return refuse(response, 404, 'file_not_found');
    }
    const answer = await fetch(`${backend.serviceUrl}${path}`, {
      method: request.method ?? 'GET',
      headers: {
        authorization: `Bearer ${backend.apiKey}`,
        'content-type': 'application/json',
        'x-request-id': String(request.headers['x-request-id'] ?? crypto.randomUUID()),
      },
      body: body === '' ? null : body,
    });
    const text = await answer.text();
    if (call === INIT && answer.status === 201) {
      await backend.owners.add((JSON.parse(text) as { fileId: string }).fileId, user);
    }
    const retryAfter = answer.headers.get('retry-after');
    response.writeHead(answer.status, {
      'content-type': answer.headers.get('content-type') ?? 'application/json',
      ...(retryAfter !== null && { 'retry-after': retryAfter }),
    });
    response.end(text);
  };
}

function readFileId(call: string, body: string): string | undefined {
  if (!OF_A_FILE_IN_THE_BODY.test(call)) return OF_A_FILE_IN_THE_PATH.exec(call)?.[1];
  try {
    const { fileId } = JSON.parse(body) as { fileId?: unknown };
    return typeof fileId === 'string' ? fileId : undefined;
  } catch {
    return undefined;
  }
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  let body = '';
  for await (const piece of request.setEncoding('utf8')) {
    body += piece;
    if (body.length > LARGEST_BODY_BYTES) return undefined;
  }
  return body;
}

function refuse(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: code, code }));
}
