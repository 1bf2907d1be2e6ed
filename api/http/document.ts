import { createHash } from 'node:crypto';

/** A text that is the same for every caller until the process ends, built once. */
export interface StaticDocument {
  /** Shared by all answers: a client that does not read holds no copy. */
  readonly bytes: Buffer;
  /** A strong entity tag. */
  readonly etag: string;
}

export function toDocument(text: string): StaticDocument {
  const bytes = Buffer.from(text);
  const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
  return { bytes, etag };
}
