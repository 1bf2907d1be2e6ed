import type { Bucket } from '../store/bucket.ts';
import { AwsError } from '../wire/errors.ts';
import type { WireRequest } from '../wire/request.ts';
import { childrenNamed, parseXml } from '../wire/xml.ts';

/** A rule of a bucket's CORS configuration. */
interface CorsRule {
  readonly origins: readonly string[];
  readonly methods: readonly string[];
  /** Lower-case. */
  readonly headers: readonly string[];
  readonly exposed: readonly string[];
  readonly maxAgeSeconds: string | undefined;
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'PUT', 'HEAD', 'POST', 'DELETE']);

/**
 * The headers of the answer to a preflight. Preflights are unsigned.
 *
 * Source: "OPTIONS object", Amazon S3 API Reference; "Testing CORS", Amazon S3 User Guide.
 *
 * @throws AwsError `BadRequest`, `AccessForbidden`
 */
export function answerPreflight({ headers }: WireRequest, bucket: Bucket): Record<string, string> {
  const origin = headers.get('origin');
  const method = headers.get('access-control-request-method');
  if (origin === undefined || method === undefined || !METHODS.has(method)) {
    throw new AwsError('BadRequest', {
      message:
        'Insufficient information. Origin and Access-Control-Request-Method request headers needed.',
    });
  }
  const rules = readRules(bucket);
  const requested = (headers.get('access-control-request-headers') ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '');
  const allowed = matchRule(rules, origin, method, requested);
  if (allowed === null) {
    // S3 names the bucket as the resource if it has no rules, also where an object is addressed.
    const ResourceType = rules.length === 0 ? 'BUCKET' : 'OBJECT';
    throw new AwsError('AccessForbidden', { details: { Method: 'OPTIONS', ResourceType } });
  }
  if (requested.length === 0) return allowed;
  return { ...allowed, 'access-control-allow-headers': requested.join(', ') };
}

/** The headers that let a page read the response; none if no rule allows its origin and method. */
export function corsHeaders(
  { headers, method }: WireRequest,
  bucket: Bucket | undefined,
): Record<string, string> {
  const origin = headers.get('origin');
  if (bucket === undefined || origin === undefined) return {};
  return matchRule(readRules(bucket), origin, method, []) ?? {};
}

/** @throws AwsError `MalformedXML`, `InvalidRequest` */
export function checkCorsDocument(document: string): void {
  const rules = parseRules(document);
  if (rules.length === 0) throw new AwsError('MalformedXML');
  for (const { origins, methods, headers } of rules) {
    if (origins.length === 0 || methods.length === 0) throw new AwsError('MalformedXML');
    const method = methods.find((name) => !METHODS.has(name));
    if (method !== undefined) {
      const message = `Found unsupported HTTP method in CORS config. Unsupported method is ${method}`;
      throw new AwsError('InvalidRequest', { message });
    }
    const pattern = [...origins, ...headers].find((each) => each.split('*').length > 2);
    if (pattern !== undefined) {
      const message = `"${pattern}" can not have more than one wildcard.`;
      throw new AwsError('InvalidRequest', { message });
    }
  }
}

function readRules({ settings }: Bucket): readonly CorsRule[] {
  const document = settings.get('cors');
  return document === undefined ? [] : parseRules(document);
}

function parseRules(document: string): readonly CorsRule[] {
  return childrenNamed(parseXml(document), 'CORSRule').map((rule) => {
    const texts = (name: string) => childrenNamed(rule, name).map(({ text }) => text);
    return {
      origins: texts('AllowedOrigin'),
      methods: texts('AllowedMethod'),
      headers: texts('AllowedHeader').map((name) => name.toLowerCase()),
      exposed: texts('ExposeHeader'),
      maxAgeSeconds: texts('MaxAgeSeconds')[0],
    };
  });
}

/** The headers of the first rule that allows origin, method and every header; null without one. */
function matchRule(
  rules: readonly CorsRule[],
  origin: string,
  method: string,
  headers: readonly string[],
): Record<string, string> | null {
  for (const rule of rules) {
    const { methods, exposed, maxAgeSeconds } = rule;
    const allowed = rule.origins.find((pattern) => isAllowed(pattern, origin));
    const hasHeaders = headers.every((name) =>
      rule.headers.some((pattern) => isAllowed(pattern, name)),
    );
    if (allowed === undefined || !hasHeaders || !methods.includes(method)) continue;
    return {
      'access-control-allow-origin': allowed === '*' ? '*' : origin,
      ...(allowed === '*' ? {} : { 'access-control-allow-credentials': 'true' }),
      'access-control-allow-methods': methods.join(', '),
      ...(exposed.length > 0 ? { 'access-control-expose-headers': exposed.join(', ') } : {}),
      ...(maxAgeSeconds === undefined ? {} : { 'access-control-max-age': maxAgeSeconds }),
      vary: 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method',
    };
  }
  return null;
}

/** A pattern has at most one `*`, which stands for any run of characters. */
function isAllowed(pattern: string, value: string): boolean {
  const [start = '', end] = pattern.split('*');
  if (end === undefined) return pattern === value;
  return (
    value.length >= start.length + end.length && value.startsWith(start) && value.endsWith(end)
  );
}
