/**
 * Calls per minute: of an account by its API key, whichever key that is, of an account at the
 * dashboard, and failing ones of an address.
 */
export interface RateLimits {
  readonly key: number;
  readonly account: number;
  readonly unauthenticated: number;
}

const GROUPS = 8;
/** No address is longer; a proxy may pass on a forged one. */
const MAX_LENGTH = 64;

/**
 * The group by which failed authentications are counted: an IPv4 address, or the first 64 bits of
 * an IPv6 address, because a single caller has all addresses of a /64 (RFC 6177). An IPv4-mapped
 * IPv6 address is its IPv4 address (RFC 4291, section 2.5.5.2). Some proxies write brackets and the
 * port of the connection, which each call may have another one of, into `X-Forwarded-For`: they do
 * not count. Another text stays as it is.
 */
export function addressGroup(address: string): string {
  const text = withoutPort(address.slice(0, MAX_LENGTH).toLowerCase());
  const groups = parseGroups(text.replace(/%.*$/, ''));
  if (!groups) return text;
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMapped) return groups.slice(6).flatMap(groupBytes).join('.');
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/** `192.0.2.7:50123` without its port, `[2001:db8::1]:50123` without port and brackets. */
function withoutPort(text: string): string {
  return text.replace(/^\[([^\]]*)\](?::\d+)?$/, '$1').replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');
}

/** The eight groups of an IPv6 address (RFC 4291, section 2.2); undefined for another text. */
function parseGroups(text: string): number[] | undefined {
  if (!text.includes(':')) return undefined;
  const [head = '', tail, ...more] = withoutDots(text).split('::');
  const first = parse(head);
  const last = parse(tail ?? '');
  const missing = GROUPS - first.length - last.length;
  const isWhole = tail === undefined ? missing === 0 : missing > 0;
  const groups = [...first, ...Array<number>(Math.max(0, missing)).fill(0), ...last];
  return isWhole && more.length === 0 && groups.every(isGroup) ? groups : undefined;
}

/** An IPv4 address at the end becomes two groups. */
function withoutDots(text: string): string {
  return text.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_match, ...found: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = found.slice(0, 4).map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
}

function parse(part: string): number[] {
  if (part === '') return [];
  return part
    .split(':')
    .map((group) => (/^[0-9a-f]{1,4}$/.test(group) ? parseInt(group, 16) : NaN));
}

function isGroup(group: number): boolean {
  return group >= 0 && group <= 0xffff;
}

function groupBytes(group: number): [number, number] {
  return [group >> 8, group & 0xff];
}
