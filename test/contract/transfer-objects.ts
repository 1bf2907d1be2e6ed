import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { StoreError } from '../../adapters/object-store/errors.ts';
import type { OpenedObject, TransferStore } from '../../adapters/object-store/transfer-store.ts';
import { multipartEtag } from '../../domain/migration/copying.ts';
import type { StoreUnderTest } from './store-under-test.ts';

export interface TransferFixture {
  readonly given: StoreUnderTest;
  readonly store: TransferStore;
  freshKey(): string;
}

/** The UTF-8 bytes of a text, one character per byte. */
export const onTheWire = (text: string): string => Buffer.from(text).toString('latin1');
export const md5Of = (body: Buffer): Buffer => createHash('md5').update(body).digest();

export async function readAll(opened: OpenedObject): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of opened.body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export async function failureOf(call: Promise<unknown>): Promise<StoreError> {
  const error: unknown = await call.then(
    (value) => assert.fail(`it answered ${String(value)}`),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof StoreError, String(error));
  return error;
}

/** The ETag that a store gives an object of these parts. */
export const etagOfParts = (parts: readonly Buffer[]): string => multipartEtag(parts.map(md5Of));
