import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { ClientOptions } from '../../../sdk/src/index.ts';
import type { Clock } from '../../../sdk/src/http/settings.ts';
import { type Answer, clientFor, json, refusal, startServer } from './servers.ts';

/** What a test may replace. `undefined` leaves the request to the normal answer. */
export interface MultipartFaults {
  /** A PUT, after its body has arrived; `attempt` counts those of its part from 0. */
  put?: (partNumber: number, attempt: number) => Answer | undefined;
  /** A call to the service, by method and path; `earlier` counts those before it. */
  call?: (call: string, earlier: number) => Answer | undefined;
  partSizeBytes?: number;
  urlSeconds?: number;
  /** False: the file is uploaded by a single PUT. */
  isMultipart?: boolean;
  /** The ETag of a part; default: its MD5, as without KMS. */
  etagOf?: (bytes: Buffer) => string;
}

/** One file of the service, with what is at the store. */
function createFile(
  sizeBytes: number,
  { partSizeBytes = 1_000, isMultipart = true }: MultipartFaults,
) {
  return {
    sizeBytes,
    partSizeBytes,
    partCount: Math.max(1, Math.ceil(sizeBytes / partSizeBytes)),
    isMultipart,
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
}
type ServedFile = ReturnType<typeof createFile>;

/** A service and a store that hold one file, by the rules of the contract. */
export type MultipartServers = Awaited<ReturnType<typeof startMultipartServers>>;

const FILE_ID = 'f-1';
export const COMPLETE = 'POST /v1/upload/complete';

/** Hash of some bytes, to compare objects by. */
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const md5 = (bytes: Uint8Array): string => createHash('md5').update(bytes).digest('hex');

/** Starts both, with a client. The file exists from the beginning, so that a test can also resume it. */
export async function startMultipartServers(
  sizeBytes: number,
  faults: MultipartFaults = {},
  options: Partial<ClientOptions> = {},
  clock: Partial<Clock> = {},
) {
  const file = createFile(sizeBytes, faults);
  const store = await startServer(storeAnswer(file, faults));
  const service = await startServer(serviceAnswer(file, faults, store.url));
  const calls = () => service.arrived.map(({ method, path }) => `${method} ${path}`);
  return {
    store,
    file,
    ...clientFor(service, options, clock),
    /** The calls to the service, by method and path. */
    calls,
    /** The numbers of the parts whose body arrived, sorted. */
    sent: () => file.puts.toSorted((a, b) => a - b),
    /** The object is whole, and has these bytes. */
    holds(bytes: Buffer, what?: string): void {
      assert.equal(file.status, 'active', what);
      const parts = [...file.held].sort(([one], [other]) => one - other);
      const object = Buffer.concat(parts.map(([, part]) => part));
      assert.equal(sha256(object), sha256(bytes), what);
    },
    /** Every PUT had a length, and no chunks. */
    isUnchunked(what?: string): void {
      for (const { headers, body } of store.arrived) {
        assert.equal(headers['content-length'], String(body.length), what);
        assert.equal(headers['transfer-encoding'], undefined, what);
      }
    },
    /** The upload was not completed. */
    isIncomplete: () => assert.ok(!calls().includes(COMPLETE)),
  };
}

function sizeOf(file: ServedFile, partNumber: number): number {
  if (!file.isMultipart) return file.sizeBytes;
  if (partNumber < file.partCount) return file.partSizeBytes;
  return file.sizeBytes - (file.partCount - 1) * file.partSizeBytes;
}

function storeAnswer(file: ServedFile, faults: MultipartFaults): Answer {
  const count = createCounter();
  return (request, response) => {
    const [, part = '', url = ''] = /\/(\d+)\?url=(\d+)/.exec(request.path) ?? [];
    const partNumber = Number(part);
    file.puts.push(partNumber);
    file.open += 1;
    file.mostOpen = Math.max(file.mostOpen, file.open);
    response.on('close', () => (file.open -= 1));
    const fault = faults.put?.(partNumber, count(part));
    if (fault !== undefined) return fault(request, response);
    const isSigned = request.body.length === sizeOf(file, partNumber);
    if (!isSigned || Number(url) <= file.expiredUrls) {
      return void response.writeHead(403).end('<Error><Code>AccessDenied</Code></Error>');
    }
    file.held.set(partNumber, request.body);
    // Later, so that several PUTs are open side by side.
    setTimeout(() => response.writeHead(200, { etag: '"e"' }).end(), 5);
  };
}

function serviceAnswer(file: ServedFile, faults: MultipartFaults, storeUrl: string): Answer {
  const count = createCounter();
  const urlOf = (part: number): string => `${storeUrl}/bucket/${part}?url=${(file.urls += 1)}`;
  return (request, response) => {
    const [path = '', query = ''] = request.path.split('?');
    const call = `${request.method} ${path}`;
    const fault = faults.call?.(call, count(call));
    if (fault !== undefined) return fault(request, response);
    const text = String(request.body) || '{}';
    const { partNumbers = [] } = JSON.parse(text) as { partNumbers?: number[] };
    const lifeMs = (faults.urlSeconds ?? 3_600) * 1_000;
    const expiresAt = new Date(Date.now() + lifeMs).toISOString();
    const etagOf = faults.etagOf ?? md5;
    answerTo(call, file, { partNumbers, query, expiresAt, urlOf, etagOf })(request, response);
  };
}

interface Asked {
  partNumbers: number[];
  query: string;
  expiresAt: string;
  urlOf: (partNumber: number) => string;
  etagOf: (bytes: Buffer) => string;
}

function answerTo(call: string, file: ServedFile, asked: Asked): Answer {
  const { expiresAt, urlOf } = asked;
  const common = { fileId: FILE_ID, provider: 'r2', savedVsAws: 0.09024 };
  switch (call) {
    case 'POST /v1/upload/init': {
      const { partSizeBytes, partCount } = file;
      const place = file.isMultipart
        ? { multipart: { partSizeBytes, partCount } }
        : { presignedUrl: urlOf(1) };
      return json(201, { ...common, ...place, requiredHeaders: {}, expiresAt });
    }
    case 'POST /v1/upload/parts': {
      if (!file.isMultipart) return refusal(409, 'file_not_multipart');
      file.asked.push(asked.partNumbers);
      const parts = asked.partNumbers.map((partNumber) => {
        const sizeBytes = sizeOf(file, partNumber);
        return { partNumber, sizeBytes, presignedUrl: urlOf(partNumber) };
      });
      return json(200, { parts, expiresAt });
    }
    case `GET /v1/upload/parts/${FILE_ID}`:
      return json(200, pageAfter(file, Number(asked.query.replace('after=', '')), asked.etagOf));
    case 'POST /v1/upload/url': {
      const requiredHeaders = { 'Content-Type': 'text/plain' };
      const presignedUrl = urlOf(1);
      return json(200, { fileId: FILE_ID, presignedUrl, requiredHeaders, expiresAt });
    }
    case `GET /v1/file/${FILE_ID}`: {
      const { status, sizeBytes: fileSizeBytes, createdAt } = file;
      return json(200, { fileId: FILE_ID, status, fileName: 'name', fileSizeBytes, createdAt });
    }
    case COMPLETE:
      return complete(file);
    default:
      return refusal(404, 'not_found');
  }
}

const PAGE = 3;

function pageAfter(file: ServedFile, after: number, etagOf: Asked['etagOf']) {
  const numbers = [...file.held.keys()].filter((part) => part > after).sort((a, b) => a - b);
  const items = numbers.slice(0, PAGE).map((partNumber) => {
    const bytes = file.held.get(partNumber) ?? Buffer.alloc(0);
    return { partNumber, sizeBytes: bytes.length, etag: etagOf(bytes) };
  });
  return { items, next: numbers.length > PAGE ? items.at(-1)?.partNumber : null };
}

function complete(file: ServedFile): Answer {
  if (file.status === 'expired') return refusal(409, 'file_expired');
  const count = file.isMultipart ? file.partCount : 1;
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  const isWhole = numbers.every((part) => file.held.get(part)?.length === sizeOf(file, part));
  if (file.status === 'pending' && !isWhole) {
    return refusal(409, file.isMultipart ? 'file_incomplete' : 'file_not_on_provider');
  }
  file.status = 'active';
  return json(200, {
    fileId: FILE_ID,
    status: 'active',
    provider: 'r2',
    fileSizeBytes: file.sizeBytes,
    completedAt: '2026-11-20T12:00:01.000Z',
  });
}

/** Counts by name, from 0. */
function createCounter(): (name: string) => number {
  const seen = new Map<string, number>();
  return (name) => {
    const before = seen.get(name) ?? 0;
    seen.set(name, before + 1);
    return before;
  };
}
