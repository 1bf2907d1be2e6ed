import { StoreError, storeErrorFor } from './errors.ts';
import { readDocument, refusalOf, type SendToBucket } from './bucket-connection.ts';
import { readObjectsPage } from './list-answers.ts';
import { readDescription, type DescribedAnswer } from './object-description.ts';
import type { StoreHttpResponse } from './http/messages.ts';
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
      const answer = await send({ method: 'GET', key: '', query }, options);
      const page = await readDocument(answer, readObjectsPage);
      return { entries: page.entries, isTruncated: page.next !== null };
    },

    async head(key, options) {
      const seen = await send({ method: 'HEAD', key }, options);
      await seen.body.readAll(0);
      if (seen.status === 200) return readDescription(seen.rawHeaders);
      // Busy or broken: another question would only add to it.
      if (seen.status >= 429) throw storeErrorFor(seen.status, undefined);
      // A refused HEAD has no body to say why; a GET of a byte has.
      const why = await send({ method: 'GET', key, headers: { range: 'bytes=0-0' } }, options);
      const isThere = why.status < 300 || why.status === 416;
      const refusal = await refusalOf(why);
      if (seen.status === 404 && (isThere || refusal.failure === 'missing')) return undefined;
      throw isThere ? storeErrorFor(seen.status, undefined) : refusal;
    },

    async open(key, { ifMatch, range }, options) {
      const headers: Record<string, string> = { 'if-match': `"${ifMatch}"` };
      if (range) headers['range'] = `bytes=${range.first}-${range.last}`;
      const answer = await send({ method: 'GET', key, headers }, options);
      if (answer.status !== 200 && answer.status !== 206) throw await refusalOf(answer);
      const { body } = answer;
      const described = readDescription(answer.rawHeaders);
      if (!isAsAsked(answer, described, range)) {
        body.close();
        throw new StoreError('failed', new Error('another stretch came than was asked for'));
      }
      return { ...described, body, close: () => body.close() };
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
