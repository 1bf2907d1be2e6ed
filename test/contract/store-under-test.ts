import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { StoreError } from '../../adapters/object-store/errors.ts';
import type * as stores from '../../adapters/object-store/object-store.ts';
import type { StoreCredentials } from '../../adapters/vault/vault.ts';
import type { StoreLocation } from '../../domain/providers/catalogue.ts';
import { multipartEtag } from '../../domain/migrations/copying.ts';

export interface StoreUnderTest {
  readonly origin: string;
  readonly location: StoreLocation;
  readonly credentials: StoreCredentials;
  /** May create buckets and set their rules. */
  readonly owner: StoreCredentials;
  /** Unusual keys that this store supports. */
  readonly oddKeys: readonly string[];
  /** Refuses conditions of a PUT with 501. */
  readonly refusesConditionalPut?: boolean;
  /** Has no ownership controls, so that it says nothing about ACLs. */
  readonly lacksOwnershipControls?: boolean;
  readonly keepsVersions: boolean;
  /** Stops a store of this suite's own. */
  close?(): Promise<void>;
}

/** A change to how the same store is reached. */
export interface Detour {
  readonly origin?: string;
  readonly location?: Partial<StoreLocation>;
  readonly credentials?: Partial<StoreCredentials>;
  readonly idleMs?: number;
}

export interface StoreFixture {
  readonly given: StoreUnderTest;
  readonly store: stores.ObjectStore;
  open(detour: Detour): stores.ObjectStore;
  freshKey(): string;
}

export const MIB = 2 ** 20;
export const BOUNDS = { timeoutMs: 5_000 };

/** The UTF-8 bytes of a text, one character per byte. */
export const onTheWire = (text: string): string => Buffer.from(text).toString('latin1');
export const md5Of = (body: Buffer): Buffer => createHash('md5').update(body).digest();

export const etagOfParts = (parts: readonly Buffer[]): string => multipartEtag(parts.map(md5Of));

export async function write(
  store: stores.ObjectStore,
  key: string,
  body: Buffer,
  headers: stores.ObjectHeaders = {},
): Promise<string> {
  const request = { headers, sizeBytes: body.length, md5: md5Of(body), body };
  return (await store.write(key, request, BOUNDS)).etag;
}

export async function readAll({ body }: stores.OpenedObject): Promise<Buffer> {
  const pieces: Buffer[] = [];
  // A piece is valid until the next one is asked for.
  for await (const piece of body) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

export async function failureOf(call: Promise<unknown>): Promise<StoreError> {
  const error: unknown = await call.then(
    (value) => assert.fail(`it answered ${String(value)}`),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof StoreError, String(error));
  return error;
}
