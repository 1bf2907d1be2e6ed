import { errorCodeOf, StoreError, storeErrorFor } from './errors.ts';
import { unquotedEtag } from './object-description.ts';
import { headerOf, type StoreHttpResponse } from './http/messages.ts';
import {
  codeOf,
  MAX_DOCUMENT_BYTES,
  readDocument,
  refusalOf,
  type TransferCall,
} from './transfer-call.ts';
import type { TransferBody, TransferOptions, TransferStore } from './transfer-store.ts';
import { MalformedAnswer, unescapeXml, XmlReader } from './xml.ts';

type TransferWrites = Pick<
  TransferStore,
  'write' | 'beginUpload' | 'writePart' | 'completeUpload' | 'abortUpload' | 'delete'
>;

/** Putting the parts together may take a store minutes, in which some send nothing. */
const COMPLETE_IDLE_MS = 120_000;

export function createTransferWrites(call: TransferCall): TransferWrites {
  return {
    async write(key, { headers, ...body }, options) {
      const sent = withBody(headers, body);
      return etagOf(await call({ method: 'PUT', key, headers: sent, body: body.body }, options));
    },

    async beginUpload(key, headers, options) {
      const query = { uploads: '' };
      const begun = { 'content-length': '0', ...headers };
      const answer = await call({ method: 'POST', key, query, headers: begun }, options);
      return readDocument(answer, (body) =>
        childOf(body, 'InitiateMultipartUploadResult', 'UploadId'),
      );
    },

    async writePart(key, uploadId, partNumber, body, options) {
      const query = { partNumber: String(partNumber), uploadId };
      const headers = withBody({}, body);
      return etagOf(await call({ method: 'PUT', key, query, headers, body: body.body }, options));
    },

    async completeUpload(key, uploadId, etags, options) {
      const body = Buffer.from(completion(etags));
      const headers = {
        'content-type': 'application/xml',
        'content-length': String(body.length),
      };
      const answer = await call(
        { method: 'POST', key, query: { uploadId }, headers, body, idleMs: COMPLETE_IDLE_MS },
        options,
      );
      if (answer.status !== 200) throw await refusalOf(answer);
      return readCompletion(await answer.body.readAll(MAX_DOCUMENT_BYTES));
    },

    async abortUpload(key, uploadId, options) {
      await expectGone(call, { key, query: { uploadId }, unless: 'NoSuchUpload' }, options);
    },

    async delete(key, options) {
      await expectGone(call, { key, query: {}, unless: 'NoSuchKey' }, options);
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

/** The ETag that a write was answered with. */
async function etagOf(answer: StoreHttpResponse): Promise<string> {
  if (answer.status !== 200) throw await refusalOf(answer);
  answer.body.discard();
  return unquotedEtag(headerOf(answer.rawHeaders, 'etag') ?? '');
}

function completion(etags: readonly string[]): string {
  const parts = etags.map(
    (etag, index) =>
      `<Part><PartNumber>${index + 1}</PartNumber><ETag>&quot;${escapeXml(etag)}&quot;</ETag></Part>`,
  );
  return `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join('')}</CompleteMultipartUpload>`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

/**
 * A store that takes long answers 200 before it knows how it ends, and may then say that it failed.
 * Source: CompleteMultipartUpload, Amazon S3 API Reference.
 */
function readCompletion(body: Buffer): string {
  const document = body.toString('utf8');
  if (/<Error[\s>]/.test(document)) throw storeErrorFor(500, errorCodeOf(document));
  try {
    return unquotedEtag(childOf(body, 'CompleteMultipartUploadResult', 'ETag'));
  } catch (error) {
    if (error instanceof MalformedAnswer) throw new StoreError('failed', error, true);
    throw error;
  }
}

/** @throws MalformedAnswer */
function childOf(body: Buffer, document: string, child: string): string {
  const reader = new XmlReader(body.toString('utf8'));
  let text = '';
  reader.openDocument(document);
  while (reader.open()) {
    if (reader.is(child)) text = unescapeXml(reader.text());
    else reader.skip();
  }
  if (text === '') throw new MalformedAnswer(`there is no ${child}`);
  return text;
}

async function expectGone(
  call: TransferCall,
  { key, query, unless }: { key: string; query: Record<string, string>; unless: string },
  options: TransferOptions | undefined,
): Promise<void> {
  const answer = await call({ method: 'DELETE', key, query }, options);
  const code = await codeOf(answer);
  if (answer.status < 300 || (answer.status === 404 && code === unless)) return;
  throw storeErrorFor(answer.status, code);
}
