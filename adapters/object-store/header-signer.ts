import { hostOf, type BucketAddress } from './address.ts';
import {
  ALGORITHM,
  canonicalHeaders,
  createCanonicalSigner,
  UNSIGNED_PAYLOAD,
  type SigningCredentials,
} from './signature.ts';

/** A request as sent. */
export interface UnsignedRequest {
  readonly method: string;
  /** Escaped. */
  readonly path: string;
  /** Escaped, sorted by name, without its question mark; empty where there is none. */
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

/**
 * AWS Signature Version 4 in headers. Unlike the SDK's signer it signs header values byte for byte, so
 * that metadata may be UTF-8 or any other bytes (decision 0023).
 */
export function createHeaderSigner(
  address: Pick<BucketAddress, 'hostname' | 'port' | 'region'>,
  credentials: SigningCredentials,
): HeaderSigner {
  const host = hostOf(address);
  const signer = createCanonicalSigner(address.region, credentials);

  return ({ method, path, query, headers }, signedAt) => {
    const time = signer.at(signedAt);
    const sent: Record<string, string> = {
      ...headers,
      host,
      'x-amz-content-sha256': UNSIGNED_PAYLOAD,
      'x-amz-date': time.timestamp,
    };
    if (credentials.sessionToken !== undefined)
      sent['x-amz-security-token'] = credentials.sessionToken;
    const { lines, names } = canonicalHeaders(signable(sent));
    const canonical = `${method}\n${path}\n${query}\n${lines}\n${names}\n${UNSIGNED_PAYLOAD}`;
    const signature = signer.sign(Buffer.from(canonical, 'latin1'), time);
    sent['authorization'] =
      `${ALGORITHM} Credential=${credentials.accessKeyId}/${time.scope}, SignedHeaders=${names}, Signature=${signature}`;
    return sent;
  };
}

function signable(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !UNSIGNED.has(name)));
}
