import { randomBytes } from 'node:crypto';

/** A text of a secret's shape that occurs nowhere else. Its `+`, `/` and `=` look different in a URL. */
export function createCanary(name: string): string {
  return `${name}+${randomBytes(18).toString('hex')}/==`;
}

/**
 * Every form in which a text may have been written down: plain, URL-encoded, as JSON, in hex, and in
 * base64 as it stands at any of three places of a longer text, without the letters at both ends that
 * depend on its neighbours.
 */
function formsOf(text: string): string[] {
  const bytes = Buffer.from(text);
  const hex = bytes.toString('hex');
  const base64 = [0, 1, 2].flatMap((shift) => {
    const shifted = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
    const inner = shifted.slice(shift === 0 ? 0 : shift + 1, -4).replace(/=+$/, '');
    return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')];
  });
  const json = JSON.stringify(text).slice(1, -1);
  const encoded = [
    encodeURIComponent(text),
    encodeURI(text),
    new URLSearchParams({ k: text }).toString().slice(2),
  ];
  const forms = [text, json, hex, hex.toUpperCase(), ...encoded, ...base64];
  return [...new Set(forms.map((form) => Buffer.from(form).toString('latin1')))];
}

export function findIn(haystack: Buffer | string, needles: ReadonlyMap<string, string>): string[] {
  const text = (typeof haystack === 'string' ? Buffer.from(haystack) : haystack).toString('latin1');
  return [...needles]
    .filter(([, needle]) => formsOf(needle).some((form) => text.includes(form)))
    .map(([name]) => name);
}

/** All text and all bytes in a message of Temporal's, however deep: payloads are bytes. */
export function textIn(value: unknown): string {
  const parts: string[] = [];
  const walk = (part: unknown): void => {
    if (typeof part === 'string') parts.push(part);
    else if (part instanceof Uint8Array) parts.push(Buffer.from(part).toString('utf8'));
    else if (part !== null && typeof part === 'object') {
      for (const [name, inner] of Object.entries(part)) {
        parts.push(name);
        walk(inner);
      }
    }
  };
  walk(value);
  return parts.join('\n');
}
