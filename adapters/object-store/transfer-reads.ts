import { StoreError, storeErrorFor } from './errors.ts';
import { readDocument, refusalOf, type SendToBucket } from './bucket-connection.ts';
import { readObjectsPage } from './list-answers.ts';
import { readDescription, type DescribedResponse } from './object-description.ts';
import type { StoreHttpResponse } from './http-messages.ts';
import type { TransferRange, TransferStore } from './transfer-store.ts';

const MAX_KEYS = 1_000;

type TransferReads = Pick<TransferStore, 'list' | 'head' | 'open'>;

export function createTransferReads(send: SendToBucket): TransferReads {
  return {
    async list({ prefix, after, maxKeys = MAX_KEYS }, options) {
      const query = {
        'list-type': '2',
        'encoding-type': 'url',
        'max-keys': String(maxKeys),
        ...(prefix === '' ? {} : { prefix }),
        ...(after === null ? {} : { 'start-after': after }),
      };
      const response = await send({ method: 'GET', key: '', query }, options);
      const page = await readDocument(response, (body) => readObjectsPage(body, after));
      return { entries: page.entries, isTruncated: page.next !== null };
    },

    async head(key, options) {
      const found = await send({ method: 'HEAD', key }, options);
      await found.body.readAll(0);
      if (found.status === 200) return readDescription(found.rawHeaders);
      // The store is overloaded or fails: a second request would add to it.
      if (found.status >= 429) throw storeErrorFor(found.status, undefined);
      // The response to a HEAD has no body with the reason; the response to a GET of one byte has.
      const reason = await send({ method: 'GET', key, headers: { range: 'bytes=0-0' } }, options);
      const exists = reason.status < 300 || reason.status === 416;
      const refusal = await refusalOf(reason);
      if (found.status === 404 && (exists || refusal.failure === 'missing')) return undefined;
      throw exists ? storeErrorFor(found.status, undefined) : refusal;
    },

    async open(key, { ifMatch, range }, options) {
      const headers: Record<string, string> = { 'if-match': `"${ifMatch}"` };
      if (range) headers['range'] = `bytes=${range.first}-${range.last}`;
      const response = await send({ method: 'GET', key, headers }, options);
      if (response.status !== 200 && response.status !== 206) throw await refusalOf(response);
      const { body } = response;
      const described = readDescription(response.rawHeaders);
      if (!matchesRange(response, described, range)) {
        body.close();
        throw new StoreError(
          'failed',
          new Error('the response contains another range than requested'),
        );
      }
      return { ...described, body, close: () => body.close() };
    },
  };
}

/** A store that ignores the range sends the whole object: correct only if that is the range. */
function matchesRange(
  { status }: StoreHttpResponse,
  described: DescribedResponse,
  range: TransferRange | undefined,
): boolean {
  if (!range) return status === 200;
  if (status === 206) return described.firstByte === range.first;
  return range.first === 0 && described.bodyBytes === range.last + 1;
}
