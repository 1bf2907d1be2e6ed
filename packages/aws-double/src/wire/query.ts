/**
 * Percent-decodes into a byte string (one character per byte), so that the client's bytes can be
 * encoded again without a conversion to Unicode.
 */
export function percentDecode(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(/%([0-9a-fA-F]{2})/g, (_whole, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes a byte string as UTF-8; null if it is invalid. */
export function decodeUtf8(bytes: string): string | null {
  try {
    return UTF8.decode(Buffer.from(bytes, 'latin1'));
  } catch {
    return null;
  }
}

/** A parsed query: the pairs as byte strings in their order, and lookups by name. */
export interface Query {
  readonly pairs: readonly (readonly [name: string, value: string])[];
  /** The first value of that exact name, read as UTF-8. */
  get(name: string): string | undefined;
  /** As `get`, the name compared without case: `x-amz-*` headers that were moved into a presigned URL. */
  getAnyCase(name: string): string | undefined;
  has(name: string): boolean;
}

/** Parses the query string; a `+` is a plus sign, because SigV4 clients encode a space as `%20`. */
export function parseQuery(raw: string): Query {
  const pairs = raw
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const cut = part.indexOf('=');
      if (cut < 0) return [percentDecode(part), ''] as const;
      return [percentDecode(part.slice(0, cut)), percentDecode(part.slice(cut + 1))] as const;
    });
  const exact = new Map<string, string>();
  const anyCase = new Map<string, string>();
  for (const [name, value] of pairs) {
    const text = decodeUtf8(value) ?? value;
    if (!exact.has(name)) exact.set(name, text);
    if (!anyCase.has(name.toLowerCase())) anyCase.set(name.toLowerCase(), text);
  }
  return {
    pairs,
    get: (name) => exact.get(name),
    getAnyCase: (name) => anyCase.get(name.toLowerCase()),
    has: (name) => exact.has(name),
  };
}
