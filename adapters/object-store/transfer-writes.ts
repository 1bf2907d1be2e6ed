import { codeOf, refusalOf, type SendToBucket } from './bucket-connection.ts';
import { storeErrorFor } from './errors.ts';
import { headerOf, type StoreHttpResponse } from './http-messages.ts';
import { unquotedEtag } from './object-description.ts';
import type { TransferBody, TransferStore } from './transfer-store.ts';

type TransferWrites = Pick<TransferStore, 'write' | 'writePart' | 'delete'>;

export function createTransferWrites(send: SendToBucket): TransferWrites {
  return {
    async write(key, { headers, ...body }, options) {
      const sent = withBody(headers, body);
      return etagOf(await send({ method: 'PUT', key, headers: sent, body: body.body }, options));
    },

    async writePart(key, uploadId, partNumber, body, options) {
      const query = { partNumber: String(partNumber), uploadId };
      const headers = withBody({}, body);
      return etagOf(await send({ method: 'PUT', key, query, headers, body: body.body }, options));
    },

    async delete(key, options) {
      const response = await send({ method: 'DELETE', key }, options);
      const code = await codeOf(response);
      if (response.status < 300 || (response.status === 404 && code === 'NoSuchKey')) return;
      throw storeErrorFor(response.status, code);
    },
  };
}

function withBody(
  headers: Readonly<Record<string, string>>,
  { sizeBytes, md5 }: TransferBody,
): Record<string, string> {
  const all: Record<string, string> = { ...headers, 'content-length': String(sizeBytes) };
  if (md5) all['content-md5'] = md5.toString('base64');
  return all;
}

/** The ETag in the response to a write. */
async function etagOf(response: StoreHttpResponse): Promise<string> {
  if (response.status !== 200) throw await refusalOf(response);
  response.body.discard();
  return unquotedEtag(headerOf(response.rawHeaders, 'etag') ?? '');
}
