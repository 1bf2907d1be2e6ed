/** The request that a preflight announces. */
export interface CorsRequest {
  /** The page's origin, as a browser sends it: `https://app.example.com`. */
  readonly origin: string;
  readonly method: string;
  /** Lower-case names of the headers that need permission. */
  readonly headers: readonly string[];
}

/** The answer to a preflight. A header that occurs several times is joined with commas. */
export interface PreflightAnswer {
  readonly status: number;
  readonly allowOrigin: string | undefined;
  readonly allowMethods: string | undefined;
  readonly allowHeaders: string | undefined;
}

/** The PUT of an upload, from a page at an origin. */
export function uploadFrom(origin: string): CorsRequest {
  return { origin, method: 'PUT', headers: ['content-type'] };
}

/**
 * What an answer lacks, as text; empty if a browser would send the request. Requests carry no
 * credentials of the browser, so that `*` allows everything. Source: "CORS-preflight fetch", Fetch
 * Standard.
 *
 * | answer                                        | lacks              |
 * | --------------------------------------------- | ------------------ |
 * | a status outside 200-299                      | permission at all  |
 * | another `Access-Control-Allow-Origin`, none   | the origin         |
 * | the method neither listed nor `*`             | the method         |
 * | a header neither listed, in any case, nor `*` | each such header   |
 */
export function lacking(
  { origin, method, headers }: CorsRequest,
  { status, allowOrigin, allowMethods, allowHeaders }: PreflightAnswer,
): readonly string[] {
  if (status < 200 || status > 299)
    return [`no rule of the bucket allows the origin, ${[method, ...headers].join(' and ')}`];
  const methods = splitList(allowMethods);
  const names = new Set(splitList(allowHeaders).map((name) => name.toLowerCase()));
  return [
    ...(allowOrigin === origin || allowOrigin === '*' ? [] : ['the origin is not allowed']),
    ...(methods.includes(method) || methods.includes('*')
      ? []
      : [`the method ${method} is not allowed`]),
    ...headers
      .filter((name) => !names.has(name) && !names.has('*'))
      .map((name) => `the header ${name} is not allowed`),
  ];
}

function splitList(header = ''): string[] {
  return header.split(',').map((value) => value.trim());
}

/**
 * The whole CORS configuration of a bucket, in the store's own format: it lets the pages of an
 * origin upload and download.
 */
export type CorsRules = readonly Readonly<Record<string, string | number | readonly string[]>>[];

/** A URL that was signed with `contentMd5` needs the second one. */
const HEADERS = ['content-type', 'content-md5'];
/** Uploaders that complete a multipart upload themselves read it. */
const EXPOSED = ['ETag'];
const MAX_AGE_SECONDS = 3600;

/** Source: "Elements of a CORS configuration", Amazon S3 User Guide; Cloudflare R2, "CORS". */
export function s3CorsRules(origin: string): CorsRules {
  return [
    {
      AllowedOrigins: [origin],
      AllowedMethods: ['PUT', 'GET'],
      AllowedHeaders: HEADERS,
      ExposeHeaders: EXPOSED,
      MaxAgeSeconds: MAX_AGE_SECONDS,
    },
  ];
}

/** Source: "Cross-Origin Resource Sharing Rules", Backblaze B2. */
export function b2CorsRules(origin: string): CorsRules {
  return [
    {
      corsRuleName: 'storage-routing-uploads',
      allowedOrigins: [origin],
      allowedOperations: ['s3_put', 's3_get'],
      allowedHeaders: HEADERS,
      exposeHeaders: EXPOSED,
      maxAgeSeconds: MAX_AGE_SECONDS,
    },
  ];
}
