import { createHash, createHmac, type BinaryLike, type Hash, type Hmac } from 'node:crypto';
import { S3RequestPresigner } from '@aws-sdk/s3-request-presigner';
import { HttpRequest } from '@smithy/core/transport';
import type { StoreCredentials } from '../vault/vault.ts';
import { hostHeader, objectPath, queryString, type BucketAddress } from './address.ts';

export interface PresignRequest {
  readonly method: 'GET' | 'PUT';
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Lower-case names. Each of them becomes part of the signature. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly expiresInSeconds: number;
  readonly signedAt: Date;
}

/** Returns a URL that carries its own permission (AWS Signature Version 4 in the query). */
export type Presign = (request: PresignRequest) => Promise<string>;

/**
 * Presigns for one bucket. `getSignedUrl` returns the same URLs at 300 µs instead of 43 µs, because
 * it evaluates the rules of endpoints and the middleware of a client for each.
 */
export function createPresigner(address: BucketAddress, credentials: StoreCredentials): Presign {
  const host = hostHeader(address);
  const presigner = new S3RequestPresigner({
    region: address.region,
    credentials,
    sha256: NodeSha256,
  });
  return async ({ method, key, query = {}, headers = {}, expiresInSeconds, signedAt }) => {
    const request = new HttpRequest({
      method,
      protocol: address.protocol,
      hostname: address.hostname,
      path: objectPath(address, key),
      query: { ...query },
      headers: { ...headers, host },
    });
    const signed = await presigner.presign(request, {
      expiresIn: expiresInSeconds,
      signingDate: signedAt,
      // By default neither the type nor the length is signed, and the URL would accept any file.
      signableHeaders: new Set(['host', ...Object.keys(headers)]),
    });
    // Not through a URL parser, which would normalise `//`, `.` and `..` in the key.
    const search = queryString(signed.query as Record<string, string>);
    return `${address.protocol}//${host}${signed.path}${search}`;
  };
}

/** SHA-256 for the SDK's signers on node:crypto: ten times the speed of the SDK's own. */
export class NodeSha256 {
  readonly #hash: Hash | Hmac;

  constructor(secret?: unknown) {
    this.#hash =
      secret === undefined ? createHash('sha256') : createHmac('sha256', secret as BinaryLike);
  }

  update(data: unknown): void {
    this.#hash.update(data as BinaryLike);
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest());
  }
}
