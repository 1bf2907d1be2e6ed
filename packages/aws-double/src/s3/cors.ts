import type { Bucket } from '../store/bucket.ts';
import { AwsError } from '../wire/errors.ts';
import type { WireRequest } from '../wire/request.ts';
import { parseXml, type XmlNode } from '../wire/xml.ts';

/** A rule of a bucket's CORS configuration. */
interface CorsRule {
  readonly origins: readonly string[];
  readonly methods: readonly string[];
  /** Lower-case. */
  readonly headers: readonly string[];
  readonly exposed: readonly string[];
  readonly maxAgeSeconds: string | undefined;
}

/** A cross-origin request, actual or announced by a preflight. */
interface CrossOrigin {
  readonly origin: string;
  readonly method: string;
  /** Lower-case. */
  readonly headers: readonly string[];
}

interface MatchedRule {
  readonly rule: CorsRule;
  /** The element of the rule that matched, with its wildcard. */
  readonly allowedOrigin: string;
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'PUT', 'HEAD', 'POST', 'DELETE']);
const NO_MATCH =
  "CORSResponse: This CORS request is not allowed. This is usually because the evalution of Origin, request method / Access-Control-Request-Method or Access-Control-Request-Headers are not whitelisted by the resource's CORS spec.";
const NO_RULES = 'CORSResponse: CORS is not enabled for this bucket.';

/**
 * The headers of the answer to a preflight. Preflights are unsigned.
 *
 * Source: "OPTIONS object", Amazon S3 API Reference; "Testing CORS", Amazon S3 User Guide.
 *
 * @throws AwsError `BadRequest`, `AccessForbidden`
 */
export function answerPreflight(request: WireRequest, bucket: Bucket): Record<string, string> {
  const origin = request.headers.get('origin');
  const method = request.headers.get('access-control-request-method');
  if (origin === undefined)
    throw new AwsError('BadRequest', 'Insufficient information. Origin request header needed.');
  if (method === undefined || !METHODS.has(method))
    throw new AwsError('BadRequest', `Invalid Access-Control-Request-Method: ${method ?? 'null'}`);
  const rules = rulesOf(bucket);
  // S3 names the bucket as the resource here, also where an object is addressed.
  if (rules === null) throw forbidden(NO_RULES, 'BUCKET');
  const headers = listOf(request.headers.get('access-control-request-headers'));
  const matched = findRule(rules, { origin, method, headers });
  if (matched === null) throw forbidden(NO_MATCH, 'OBJECT');
  return {
    ...responseHeaders(matched, origin),
    ...(headers.length > 0 ? { 'access-control-allow-headers': headers.join(', ') } : {}),
  };
}

/** The headers that let a page read the response; none where no rule allows its origin and method. */
export function corsHeaders(
  request: WireRequest,
  bucket: Bucket | undefined,
): Record<string, string> {
  const origin = request.headers.get('origin');
  const rules = bucket === undefined ? null : rulesOf(bucket);
  if (origin === undefined || rules === null) return {};
  const matched = findRule(rules, { origin, method: request.method, headers: [] });
  return matched === null ? {} : responseHeaders(matched, origin);
}

/** @throws AwsError `MalformedXML`, `InvalidRequest` */
export function checkCorsDocument(document: string): void {
  const rules = parseRules(document);
  if (rules.length === 0) throw malformed();
  for (const { origins, methods, headers } of rules) {
    if (origins.length === 0 || methods.length === 0) throw malformed();
    const method = methods.find((name) => !METHODS.has(name));
    if (method !== undefined)
      throw new AwsError(
        'InvalidRequest',
        `Found unsupported HTTP method in CORS config. Unsupported method is ${method}`,
      );
    requireOneWildcard('AllowedOrigin', origins);
    requireOneWildcard('AllowedHeader', headers);
  }
}

function requireOneWildcard(name: string, patterns: readonly string[]): void {
  const pattern = patterns.find((each) => each.split('*').length > 2);
  if (pattern !== undefined)
    throw new AwsError(
      'InvalidRequest',
      `${name} "${pattern}" can not have more than one wildcard.`,
    );
}

function rulesOf({ settings }: Bucket): readonly CorsRule[] | null {
  const document = settings.get('cors');
  return document === undefined ? null : parseRules(document);
}

function parseRules(document: string): CorsRule[] {
  return parseXml(document)
    .children.filter(({ name }) => name === 'CORSRule')
    .map((rule) => ({
      origins: textsOf(rule, 'AllowedOrigin'),
      methods: textsOf(rule, 'AllowedMethod'),
      headers: textsOf(rule, 'AllowedHeader').map((name) => name.toLowerCase()),
      exposed: textsOf(rule, 'ExposeHeader'),
      maxAgeSeconds: textsOf(rule, 'MaxAgeSeconds')[0],
    }));
}

function textsOf({ children }: XmlNode, name: string): string[] {
  return children.filter((child) => child.name === name).map(({ text }) => text);
}

/** The first rule that allows origin, method and every header. */
function findRule(rules: readonly CorsRule[], asked: CrossOrigin): MatchedRule | null {
  for (const rule of rules) {
    const allowedOrigin = rule.origins.find((pattern) => matches(pattern, asked.origin));
    if (allowedOrigin === undefined || !rule.methods.includes(asked.method)) continue;
    const allowsHeader = (name: string) => rule.headers.some((pattern) => matches(pattern, name));
    if (asked.headers.every(allowsHeader)) return { rule, allowedOrigin };
  }
  return null;
}

/** A pattern has at most one `*`, which stands for any run of characters. */
function matches(pattern: string, value: string): boolean {
  const at = pattern.indexOf('*');
  if (at < 0) return pattern === value;
  const [start, end] = [pattern.slice(0, at), pattern.slice(at + 1)];
  return (
    value.length >= start.length + end.length && value.startsWith(start) && value.endsWith(end)
  );
}

function responseHeaders(
  { rule, allowedOrigin }: MatchedRule,
  origin: string,
): Record<string, string> {
  const { methods, exposed, maxAgeSeconds } = rule;
  return {
    ...(allowedOrigin === '*'
      ? { 'access-control-allow-origin': '*' }
      : {
          'access-control-allow-origin': origin,
          'access-control-allow-credentials': 'true',
        }),
    'access-control-allow-methods': methods.join(', '),
    ...(exposed.length > 0 ? { 'access-control-expose-headers': exposed.join(', ') } : {}),
    ...(maxAgeSeconds === undefined ? {} : { 'access-control-max-age': maxAgeSeconds }),
    vary: 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method',
  };
}

function listOf(header: string | undefined): string[] {
  return (header ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '');
}

function forbidden(message: string, resourceType: 'BUCKET' | 'OBJECT'): AwsError {
  return new AwsError('AccessForbidden', message, {
    details: { Method: 'OPTIONS', ResourceType: resourceType },
  });
}

function malformed(): AwsError {
  return new AwsError(
    'MalformedXML',
    'The XML you provided was not well-formed or did not validate against our published schema',
  );
}
