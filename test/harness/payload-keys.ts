import { randomBytes } from 'node:crypto';

/** A key in the form of the environment. */
export function payloadKey(keyId: string): string {
  return `${keyId}:${randomBytes(32).toString('base64')}`;
}

/** Where ids are readable: none of these is a payload. */
const NOT_PAYLOADS = new Set(['searchAttributes', 'workflowId', 'indexedFields', 'fairnessKey']);

/** All texts in an answer of Temporal, those in bytes too. */
export function textsIn(value: unknown): string {
  if (value instanceof Uint8Array) return `${Buffer.from(value).toString('utf8')}\n`;
  if (typeof value !== 'object' || value === null) return `${String(value)}\n`;
  return Object.entries(value)
    .filter(([name]) => !NOT_PAYLOADS.has(name))
    .map(([name, item]) => `${name}: ${textsIn(item)}`)
    .join('');
}
