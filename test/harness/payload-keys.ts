import { randomBytes } from 'node:crypto';

/** A key in the form of the environment. */
export function payloadKey(keyId: string): string {
  return `${keyId}:${randomBytes(32).toString('base64')}`;
}

/** Ids that never reach Temporal's store in a payload; search attributes and workflow ids are not payloads. */
const NOT_PAYLOADS = new Set(['searchAttributes', 'workflowId', 'indexedFields']);

/** All texts in an answer of Temporal, those in bytes too. */
export function textsIn(value: unknown): string {
  if (value instanceof Uint8Array) return `${Buffer.from(value).toString('utf8')}\n`;
  if (typeof value !== 'object' || value === null) return `${String(value)}\n`;
  return Object.entries(value)
    .filter(([name]) => !NOT_PAYLOADS.has(name))
    .map(([name, item]) => `${name}: ${textsIn(item)}`)
    .join('');
}
