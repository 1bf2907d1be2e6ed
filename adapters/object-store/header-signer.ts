import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';
import type { StoreCredentials } from '../vault/vault.ts';
import { hostHeader, type BucketAddress } from './address.ts';

/** A key pair; that of a session is valid only with its token. */
export interface SigningCredentials extends StoreCredentials {
  readonly sessionToken?: string;
}

/** A request as sent. */
export interface UnsignedRequest {
  readonly method: string;
  /** Escaped. */
  readonly path: string;
  /** Escaped, sorted by name, without its question mark; empty if there is none. */
  readonly query: string;
  /** Lower-case names. Values are latin1, one character per byte, as Node reads and writes them. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Returns the request's headers with those of the signature. The body is not signed. */
export type HeaderSigner = (request: UnsignedRequest, signedAt: Date) => Record<string, string>;

/** Proxies may change them. The list of the official SDK. */
const UNSIGNED: ReadonlySet<string> = new Set([
  'authorization',
  'cache-control',
  'connection',
  'expect',
  'from',
  'keep-alive',
  'max-forwards',
  'pragma',
  'referer',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'x-amzn-trace-id',
]);

/** In place of the body's hash: the body is not signed. */
const UNSIGNED_PAYLOAD = 'UNSIGNED-PAYLOAD';
const ALGORITHM = 'AWS4-HMAC-SHA256';

/**
 * AWS Signature Version 4 in headers. Unlike the SDK's signer it signs header values byte for byte,
 * so that metadata may be UTF-8 or any other bytes: the SDK takes values as text and hashes their
 * UTF-8.
 */
export function createHeaderSigner(
  address: Pick<BucketAddress, 'hostname' | 'port' | 'region'>,
  credentials: SigningCredentials,
): HeaderSigner {
  const host = hostHeader(address);
  const keyFor = memoizeLast((day: string) => deriveKey(credentials, day, address.region));
  const timestampFor = memoizeLast((second: number) =>
    new Date(second * 1_000).toISOString().replace(MILLISECONDS_AND_MARKS, ''),
  );

  return ({ method, path, query, headers }, signedAt) => {
    const timestamp = timestampFor(Math.floor(signedAt.getTime() / 1_000));
    const day = timestamp.slice(0, DAY_LENGTH);
    const scope = `${day}/${address.region}/s3/aws4_request`;
    const sent: Record<string, string> = {
      ...headers,
      host,
      'x-amz-content-sha256': UNSIGNED_PAYLOAD,
      'x-amz-date': timestamp,
    };
    if (credentials.sessionToken !== undefined)
      sent['x-amz-security-token'] = credentials.sessionToken;
    const { lines, names } = canonicalHeaders(sent);
    const canonical = `${method}\n${path}\n${query}\n${lines}\n${names}\n${UNSIGNED_PAYLOAD}`;
    const digest = hash('sha256', Buffer.from(canonical, 'latin1'), 'hex');
    const signature = createHmac('sha256', keyFor(day))
      .update(`${ALGORITHM}\n${timestamp}\n${scope}\n${digest}`)
      .digest('hex');
    sent['authorization'] =
      `${ALGORITHM} Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
    return sent;
  };
}

/** The headers that are signed: a line for each, and their names. */
function canonicalHeaders(headers: Readonly<Record<string, string>>): {
  readonly lines: string;
  readonly names: string;
} {
  let lines = '';
  const names = Object.keys(headers)
    .filter((name) => !UNSIGNED.has(name))
    .sort();
  for (const name of names) lines += `${name}:${folded(headers[name] ?? '')}\n`;
  return { lines, names: names.join(';') };
}

const FOLDABLE = /^[ \t]|[ \t]$|[ \t]{2}|\t/;

/** For the signature only. `trim` would also remove 0xA0, which is half of an `à` here. */
function folded(value: string): string {
  if (!FOLDABLE.test(value)) return value;
  return value.replace(/[ \t]+/g, ' ').replace(/^ | $/g, '');
}

const MILLISECONDS_AND_MARKS = /[:-]|\.\d{3}/g;
const DAY_LENGTH = 'YYYYMMDD'.length;

/** A key object: Node 24 takes six times as long to sign with the same bytes. */
function deriveKey({ secretAccessKey }: StoreCredentials, day: string, region: string): KeyObject {
  return [day, region, 's3', 'aws4_request'].reduce(
    (key, part) => createSecretKey(createHmac('sha256', key).update(part).digest()),
    createSecretKey(Buffer.from(`AWS4${secretAccessKey}`)),
  );
}

/** For inputs that repeat before they change, as days and seconds do. */
function memoizeLast<Input, Output>(make: (input: Input) => Output): (input: Input) => Output {
  let last: { readonly input: Input; readonly output: Output } | undefined;
  return (input) => {
    if (last?.input !== input) last = { input, output: make(input) };
    return last.output;
  };
}
