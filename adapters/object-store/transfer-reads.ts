import { StoreError, storeErrorFor } from './errors.ts';
import { readObjectsPage, readUploadsPage, type ListedUpload } from './list-answers.ts';
import { readDescription, type DescribedAnswer } from './object-description.ts';
import type { StoreHttpResponse } from './http/messages.ts';
import { codeOf, readDocument, refusalOf, type TransferCall } from './transfer-call.ts';
import type { TransferOptions, TransferRange, TransferStore } from './transfer-store.ts';
import { XmlReader } from './xml.ts';

const MAX_KEYS = 1_000;

type TransferReads = Pick<TransferStore, 'list' | 'describe' | 'open' | 'uploads' | 'aclsMatter'>;

export function createTransferReads(call: TransferCall): TransferReads {
  return {
    async list({ prefix, after, maxKeys = MAX_KEYS }, options) {
      const query = {
        'list-type': '2',
        'encoding-type': 'url',
        'max-keys': String(maxKeys),
        ...(prefix === '' ? {} : { prefix }),
        ...(after === null ? {} : { 'start-after': after }),
      };
      const answer = await call({ method: 'GET', key: '', query }, options);
      const page = await readDocument(answer, readObjectsPage);
      return { entries: page.entries, isTruncated: page.next !== null };
    },

    async describe(key, options) {
      const seen = await call({ method: 'HEAD', key }, options);
      await seen.body.readAll(0);
      if (seen.status === 200) return readDescription(seen.rawHeaders);
      // Busy or broken: another question would only add to it.
      if (seen.status >= 429) throw storeErrorFor(seen.status, undefined);
      // A refused HEAD has no body to say why; a GET of a byte has.
      const why = await call({ method: 'GET', key, headers: { range: 'bytes=0-0' } }, options);
      const isThere = why.status < 300 || why.status === 416;
      const refusal = await refusalOf(why);
      if (seen.status === 404 && (isThere || refusal.failure === 'missing')) return undefined;
      throw isThere ? storeErrorFor(seen.status, undefined) : refusal;
    },

    async open(key, { ifMatch, range }, options) {
      const headers: Record<string, string> = { 'if-match': `"${ifMatch}"` };
      if (range) headers['range'] = `bytes=${range.first}-${range.last}`;
      const answer = await call({ method: 'GET', key, headers }, options);
      if (answer.status !== 200 && answer.status !== 206) throw await refusalOf(answer);
      const { body } = answer;
      const described = readDescription(answer.rawHeaders);
      if (!isAsAsked(answer, described, range)) {
        body.close();
        throw new StoreError('failed', new Error('another stretch came than was asked for'));
      }
      return { ...described, body, close: () => body.close() };
    },

    uploads: (prefix, options) => listUploads(call, prefix, options),

    async aclsMatter(options) {
      const query = { ownershipControls: '' };
      const answer = await call({ method: 'GET', key: '', query }, options);
      if (answer.status === 200) return readDocument(answer, readAclsMatter);
      const { status } = answer;
      const code = await codeOf(answer);
      if (code === 'OwnershipControlsNotFoundError') return true;
      const refusal = storeErrorFor(status, code);
      const isUnknown = status === 405 || status === 501 || code === 'MethodNotAllowed';
      if (isUnknown || refusal.failure === 'access_denied') return undefined;
      throw refusal;
    },
  };
}

/** A store that passes over a range sends all of it, which is right only where that was asked for. */
function isAsAsked(
  { status }: StoreHttpResponse,
  described: DescribedAnswer,
  range: TransferRange | undefined,
): boolean {
  if (!range) return status === 200;
  if (status === 206) return described.firstByte === range.first;
  return range.first === 0 && described.bodyBytes === range.last + 1;
}

/** @throws MalformedAnswer */
function readAclsMatter(body: Buffer): boolean {
  const reader = new XmlReader(body.toString('utf8'));
  let matter = true;
  reader.openDocument('OwnershipControls');
  while (reader.open()) {
    if (!reader.is('Rule')) reader.skip();
    else {
      while (reader.open()) {
        if (reader.is('ObjectOwnership')) matter = reader.text().trim() !== 'BucketOwnerEnforced';
        else reader.skip();
      }
    }
  }
  return matter;
}

async function* listUploads(
  call: TransferCall,
  prefix: string,
  options: TransferOptions | undefined,
): AsyncIterable<ListedUpload> {
  let last: ListedUpload | undefined;
  for (;;) {
    const query = {
      uploads: '',
      'encoding-type': 'url',
      'max-uploads': String(MAX_KEYS),
      ...(prefix === '' ? {} : { prefix }),
      ...(last && { 'key-marker': last.key, 'upload-id-marker': last.uploadId }),
    };
    const answer = await call({ method: 'GET', key: '', query }, options);
    const page = await readDocument(answer, readUploadsPage);
    yield* page.uploads;
    if (!page.isTruncated) return;
    const next = page.uploads.at(-1);
    if (!next || next.uploadId === last?.uploadId)
      throw new StoreError('failed', new Error('the listing of uploads does not go on'));
    last = next;
  }
}
