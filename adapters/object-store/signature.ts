import { createHmac, hash } from 'node:crypto';
import type { StoreCredentials } from '../vault/vault.ts';

/** A key pair; that of a session is valid only with its token. */
export interface SigningCredentials extends StoreCredentials {
  readonly sessionToken?: string;
}

/** A time as a signature names it, with the scope of the keys that are derived for its day. */
export interface SigningTime {
  /** `20261122T084900Z` */
  readonly timestamp: string;
  /** `20261122/eu-central-1/s3/aws4_request` */
  readonly scope: string;
}

/** Signs canonical requests to S3 in one region (AWS Signature Version 4). */
export interface CanonicalSigner {
  at(signedAt: Date): SigningTime;
  /** The signature of a canonical request, in hex. A string is hashed as UTF-8. */
  sign(canonical: Buffer | string, time: SigningTime): string;
}

/** In place of the body's hash: the body is not signed. */
export const UNSIGNED_PAYLOAD = 'UNSIGNED-PAYLOAD';
export const ALGORITHM = 'AWS4-HMAC-SHA256';

const MILLISECONDS_AND_MARKS = /[:-]|\.\d{3}/g;
const DAY_LENGTH = 'YYYYMMDD'.length;

export function createCanonicalSigner(
  region: string,
  credentials: StoreCredentials,
): CanonicalSigner {
  const keyFor = memoizeLast((day: string) => signingKey(credentials, day, region));
  const timeOf = memoizeLast((second: number): SigningTime => {
    const timestamp = new Date(second * 1_000).toISOString().replace(MILLISECONDS_AND_MARKS, '');
    return { timestamp, scope: `${dayOf(timestamp)}/${region}/s3/aws4_request` };
  });
  return {
    at: (signedAt) => timeOf(Math.floor(signedAt.getTime() / 1_000)),
    sign(canonical, { timestamp, scope }) {
      const digest = hash('sha256', canonical, 'hex');
      return createHmac('sha256', keyFor(dayOf(timestamp)))
        .update(`${ALGORITHM}\n${timestamp}\n${scope}\n${digest}`)
        .digest('hex');
    },
  };
}

/** The headers of a canonical request: a line for each, and their names. */
export function canonicalHeaders(headers: Readonly<Record<string, string>>): {
  readonly lines: string;
  readonly names: string;
} {
  let lines = '';
  let names = '';
  for (const name of Object.keys(headers).sort()) {
    lines += `${name}:${folded(headers[name] ?? '')}\n`;
    names += names === '' ? name : `;${name}`;
  }
  return { lines, names };
}

const FOLDABLE = /^[ \t]|[ \t]$|[ \t]{2}|\t/;

/** For the signature only. `trim` would also remove 0xA0, which is half of an `à` here. */
function folded(value: string): string {
  if (!FOLDABLE.test(value)) return value;
  return value.replace(/[ \t]+/g, ' ').replace(/^ | $/g, '');
}

function dayOf(timestamp: string): string {
  return timestamp.slice(0, DAY_LENGTH);
}

function signingKey({ secretAccessKey }: StoreCredentials, day: string, region: string): Buffer {
  return [day, region, 's3', 'aws4_request'].reduce<Buffer>(
    (key, part) => createHmac('sha256', key).update(part).digest(),
    Buffer.from(`AWS4${secretAccessKey}`),
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
