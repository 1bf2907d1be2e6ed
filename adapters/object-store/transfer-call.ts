import type { StoreLocation } from '../../domain/catalogue.ts';
import { bucketAddress, objectPath, queryString } from './address.ts';
import { errorCodeOf, StoreError, storeErrorFor } from './errors.ts';
import { createHeaderSigner } from './header-signer.ts';
import type { SigningCredentials } from './signer.ts';
import type { StoreHttpRequest, StoreHttpResponse } from './http/messages.ts';
import type { TransferOptions, TransferStoreDeps } from './transfer-store.ts';
import { MalformedAnswer } from './xml.ts';

/** A request to one bucket. */
export interface TransferRequest {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Empty: the bucket itself. */
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: StoreHttpRequest['body'];
  /** Where the store may think for longer than usual. */
  readonly idleMs?: number;
}

/** Signs and sends; any answer is an answer, of which the body must be read or closed. */
export type TransferCall = (
  request: TransferRequest,
  options: TransferOptions | undefined,
) => Promise<StoreHttpResponse>;

const IDLE_MS = 15_000;
/** A page of a thousand keys of 1,024 bytes each, every byte of them encoded in three. */
export const MAX_DOCUMENT_BYTES = 8 * 2 ** 20;
const NO_HEADERS = {};

export function createTransferCall(
  deps: TransferStoreDeps,
  location: StoreLocation,
  credentials: SigningCredentials,
): TransferCall {
  const address = bucketAddress(location, deps.endpoints);
  const sign = createHeaderSigner(address, credentials);
  return ({ method, key, query, headers = NO_HEADERS, body, idleMs }, options) => {
    const path = objectPath(address, key);
    const search = query === undefined ? '' : queryString(sorted(query));
    const signed = sign({ method, path, query: search.slice(1), headers }, deps.now());
    return deps.http(
      { address, method, path: path + search, headers: signed, body },
      { idleMs: idleMs ?? deps.idleMs ?? IDLE_MS, signal: options?.signal },
    );
  };
}

/** As the signature wants it. */
function sorted(query: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(query).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The code of a refusal, read from the answer's body. */
export async function codeOf(answer: StoreHttpResponse): Promise<string | undefined> {
  return errorCodeOf((await answer.body.readAll(MAX_DOCUMENT_BYTES)).toString('utf8'));
}

/** Why the store refused: reads the answer's body. */
export async function refusalOf(answer: StoreHttpResponse): Promise<StoreError> {
  return storeErrorFor(answer.status, await codeOf(answer));
}

/** The document of an answer with status 200. */
export async function readDocument<Document>(
  answer: StoreHttpResponse,
  read: (body: Buffer) => Document,
): Promise<Document> {
  if (answer.status !== 200) throw await refusalOf(answer);
  const body = await answer.body.readAll(MAX_DOCUMENT_BYTES);
  try {
    return read(body);
  } catch (error) {
    // An answer that broke off in good order may be whole the next time.
    if (error instanceof MalformedAnswer) throw new StoreError('failed', error, true);
    throw error;
  }
}
