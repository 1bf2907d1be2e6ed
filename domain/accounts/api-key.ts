import { createHash } from 'node:crypto';

export type KeyMode = 'live' | 'test';

const API_KEY =
  /^svc_(live|test)_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** The stored part of a key: enough to recognise it, not enough to use it. */
export interface StoredApiKey {
  /** SHA-256 of the whole key, hex. */
  readonly hash: string;
  /** The first 12 and the last 4 characters, for a person to recognise. */
  readonly masked: string;
  readonly createdAt: Date;
}

export function formatApiKey(mode: KeyMode, uuid: string): string {
  return `svc_${mode}_${uuid}`;
}

/** Whether a text has the form of a key of this deployment; checked before any database read. */
export function isApiKey(mode: KeyMode, text: string): boolean {
  return API_KEY.exec(text)?.[1] === mode;
}

/** A key is 122 random bits, so a plain hash is as good as a slow one. */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

export function storeApiKey(key: string, createdAt: Date): StoredApiKey {
  return { hash: hashApiKey(key), masked: mask(key), createdAt };
}

function mask(key: string): string {
  return `${key.slice(0, 12)}…${key.slice(-4)}`;
}
