import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { Clock } from '../../../sdk/src/http/settings.ts';
import type { ClientOptions } from '../../../sdk/src/index.ts';
import * as servers from './servers.ts';
import { type Answer, json, refusal } from './servers.ts';

export const INIT = 'POST /v1/upload/init';
export const COMPLETE = 'POST /v1/upload/complete';
const PAGE = 3;

const STEPS = {
  [INIT]: 'init',
  'POST /v1/upload/parts': 'parts',
  'GET /v1/upload/parts/f-1': 'held',
  'POST /v1/upload/url': 'url',
  'GET /v1/file/f-1': 'file',
  [COMPLETE]: 'complete',
} as const;
type Step = (typeof STEPS)[keyof typeof STEPS] | 'put';

/** The answer to a request by how many came before it, of a PUT to those of its part; undefined is the normal one. */
type Script = Partial<Record<Step, (earlier: number, partNumber: number) => Answer | undefined>>;

interface Given extends Script {
  partSizeBytes?: number;
  urlSeconds?: number;
  /** PUTs are answered once so many of them have been open side by side. Default: at once. */
  heldPuts?: number;
  /** Of a file that exists before its init: false where it is uploaded by a single PUT. */
  isMultipart?: boolean;
  /** The ETag of a part; default: its MD5, as without KMS. */
  etagOf?: (bytes: Buffer) => string;
  /** Further fields of the init's answer. */
  started?: object;
  store?: servers.Server;
}

const hash = (algorithm: string, bytes: Uint8Array) =>
  createHash(algorithm).update(bytes).digest('hex');

export type Upload = Awaited<ReturnType<typeof startUpload>>;

/**
 * A service and a store that hold one file, by the rules of the contract, and a client. The file exists from the
 * beginning, so that a test can also resume it; an init replaces its size.
 */
export async function startUpload(
  sizeBytes = 5,
  given: Given = {},
  options: Partial<ClientOptions> = {},
  clock: Partial<Clock> = {},
) {
  const {
    partSizeBytes = 1_000,
    heldPuts = 0,
    etagOf = (bytes: Buffer) => hash('md5', bytes),
  } = given;
  const file = {
    sizeBytes,
    isMultipart: given.isMultipart ?? true,
    status: 'pending' as 'pending' | 'active' | 'expired',
    createdAt: new Date().toISOString(),
    /** The parts at the store; a single PUT is part 1. */
    held: new Map<number, Buffer>(),
    /** The part number of each PUT whose body arrived, in order. */
    puts: [] as number[],
    /** The part numbers of each call for URLs. */
    asked: [] as number[][],
    open: 0,
    mostOpen: 0,
    /** URLs up to this one have expired. */
    expiredUrls: 0,
    urls: 0,
  };
  const waiting: (() => void)[] = [];
  const count = () =>
    file.isMultipart ? Math.max(1, Math.ceil(file.sizeBytes / partSizeBytes)) : 1;
  const sizeOf = (part: number) =>
    part < count() ? partSizeBytes : file.sizeBytes - (count() - 1) * partSizeBytes;
  const numbers = () => Array.from({ length: count() }, (_, index) => index + 1);

  const seen = new Map<string, number>();
  const answerTo = (step: Step, normal: () => Answer, part = 0): Answer => {
    const earlier = seen.get(`${step} ${part}`) ?? 0;
    seen.set(`${step} ${part}`, earlier + 1);
    return given[step]?.(earlier, part) ?? normal();
  };

  const take: Answer = (request, response) => {
    const [, part, url] = /\/(\d+)\?url=(\d+)/.exec(request.path)?.map(Number) ?? assert.fail();
    assert.ok(part !== undefined && url !== undefined);
    file.puts.push(part);
    file.open += 1;
    file.mostOpen = Math.max(file.mostOpen, file.open);
    if (file.mostOpen >= heldPuts) for (const answer of waiting.splice(0)) answer();
    response.on('close', () => (file.open -= 1));
    const store = (): Answer => {
      if (request.body.length !== sizeOf(part) || url <= file.expiredUrls)
        return servers.text(403, '<Error><Code>AccessDenied</Code></Error>');
      file.held.set(part, request.body);
      const answer = () => void response.writeHead(200, { etag: '"e"' }).end();
      // Later, so that several PUTs are open side by side.
      return () => void (file.mostOpen < heldPuts ? waiting.push(answer) : setTimeout(answer, 5));
    };
    answerTo('put', store, part)(request, response);
  };
  const store = given.store ?? (await servers.startServer(take));
  const urlOf = (part: number) =>
    `${store.url}/bucket/${part}?url=${(file.urls += 1)}&X-Amz-Signature=${servers.URL_SECRET}`;

  /** The normal answers of the service. */
  const replies: Record<Exclude<Step, 'put'>, (request: servers.Arrived) => Answer> = {
    init(request) {
      const { multipart, ...asked } = bodyOf(request);
      [file.sizeBytes, file.isMultipart] = [asked.fileSizeBytes, multipart === true];
      const place = multipart
        ? { multipart: { partSizeBytes, partCount: count() }, requiredHeaders: {} }
        : { presignedUrl: urlOf(1), requiredHeaders: { 'Content-Type': asked.contentType } };
      const reply = { fileId: 'f-1', provider: 'r2', savedVsAws: 0.09024, expiresAt: expiresAt() };
      return json(201, { ...reply, ...place, ...given.started });
    },
    parts(request) {
      if (!file.isMultipart) return refusal(409, 'file_not_multipart');
      const { partNumbers } = bodyOf(request);
      file.asked.push(partNumbers);
      const parts = partNumbers.map((partNumber) => {
        const presignedUrl = urlOf(partNumber);
        return { partNumber, sizeBytes: sizeOf(partNumber), presignedUrl };
      });
      return json(200, { parts, expiresAt: expiresAt() });
    },
    held({ path }) {
      const after = Number(path.split('after=')[1] ?? 0);
      const left = [...file.held].filter(([part]) => part > after).sort(([a], [b]) => a - b);
      const items = left.slice(0, PAGE).map(([partNumber, bytes]) => {
        return { partNumber, sizeBytes: bytes.length, etag: etagOf(bytes) };
      });
      return json(200, { items, next: left.length > PAGE ? items.at(-1)?.partNumber : null });
    },
    url() {
      const requiredHeaders = { 'Content-Type': 'text/plain' };
      const reply = { fileId: 'f-1', presignedUrl: urlOf(1), requiredHeaders };
      return json(200, { ...reply, expiresAt: expiresAt() });
    },
    file() {
      const { status, sizeBytes: fileSizeBytes, createdAt } = file;
      return json(200, { fileId: 'f-1', status, fileName: 'name', fileSizeBytes, createdAt });
    },
    complete() {
      if (file.status === 'expired') return refusal(409, 'file_expired');
      const isWhole = numbers().every((part) => file.held.get(part)?.length === sizeOf(part));
      if (file.status === 'pending' && !isWhole)
        return refusal(409, file.isMultipart ? 'file_incomplete' : 'file_not_on_provider');
      file.status = 'active';
      return completed(file.sizeBytes);
    },
  };
  const expiresAt = () => new Date(Date.now() + (given.urlSeconds ?? 3_600) * 1_000).toISOString();
  const service = await servers.startServer((request, response) => {
    const call = `${request.method} ${request.path.split('?')[0]}` as keyof typeof STEPS;
    const step = STEPS[call];
    answerTo(step, () => replies[step](request))(request, response);
  });
  /** The calls to the service, by method and path. */
  const calls = () => service.arrived.map(({ method, path }) => `${method} ${path}`);
  return {
    store,
    service,
    file,
    calls,
    ...servers.clientFor(service, options, clock),
    /** The numbers of all parts, and of those whose body arrived, sorted. */
    numbers,
    sent: () => file.puts.toSorted((a, b) => a - b),
    /** The object is whole, and has these bytes; every PUT had a length, and no chunks. */
    holds(bytes: Buffer, what?: string): void {
      assert.equal(file.status, 'active', what);
      const object = Buffer.concat(numbers().flatMap((part) => file.held.get(part) ?? []));
      assert.equal(hash('sha256', object), hash('sha256', bytes), what);
      for (const { headers, body } of store.arrived) {
        assert.equal(headers['content-length'], String(body.length), what);
        assert.equal(headers['transfer-encoding'], undefined, what);
      }
    },
  };
}

export const completed = (fileSizeBytes = 5): Answer =>
  json(200, {
    fileId: 'f-1',
    status: 'active',
    provider: 'r2',
    fileSizeBytes,
    completedAt: '2026-11-20T12:00:01.000Z',
  });

const bodyOf = ({ body }: servers.Arrived) =>
  JSON.parse(String(body)) as {
    multipart?: true;
    fileSizeBytes: number;
    contentType: string;
    partNumbers: number[];
  };
