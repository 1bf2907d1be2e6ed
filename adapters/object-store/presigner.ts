import type { StoreCredentials } from '../vault/vault.ts';
import { hostOf, objectPath, queryString, type BucketAddress } from './address.ts';
import {
  ALGORITHM,
  canonicalHeaders,
  createCanonicalSigner,
  UNSIGNED_PAYLOAD,
} from './signature.ts';

export interface PresignRequest {
  readonly method: 'GET' | 'PUT';
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Lower-case names. Each of them becomes part of the signature. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly expiresInSeconds: number;
  readonly signedAt: Date;
}

/** Gives a URL that carries its own permission (AWS Signature Version 4 in the query). */
export type Presign = (request: PresignRequest) => string;

/** Presigns for one bucket: the URLs of `getSignedUrl`, at many times its speed (decision 0023). */
export function createPresigner(address: BucketAddress, credentials: StoreCredentials): Presign {
  const host = hostOf(address);
  const signer = createCanonicalSigner(address.region, credentials);

  return ({ method, key, query = {}, headers = {}, expiresInSeconds, signedAt }) => {
    const time = signer.at(signedAt);
    const path = objectPath(address, key);
    const { lines, names } = canonicalHeaders({ ...headers, host });
    const unsigned = queryString({
      ...query,
      'X-Amz-Algorithm': ALGORITHM,
      'X-Amz-Content-Sha256': UNSIGNED_PAYLOAD,
      'X-Amz-Credential': `${credentials.accessKeyId}/${time.scope}`,
      'X-Amz-Date': time.timestamp,
      'X-Amz-Expires': String(expiresInSeconds),
      'X-Amz-SignedHeaders': names,
    });
    const canonical = `${method}\n${path}\n${unsigned.slice(1)}\n${lines}\n${names}\n${UNSIGNED_PAYLOAD}`;
    const signature = signer.sign(canonical, time);
    return `${address.protocol}//${host}${path}${unsigned}&X-Amz-Signature=${signature}`;
  };
}
