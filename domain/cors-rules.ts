/** Rules that let the pages of an origin upload to a bucket and download from it. */

/** The whole configuration of a bucket: a list of rules in the store's own format. */
export type CorsRules = readonly Readonly<Record<string, string | number | readonly string[]>>[];

/** A URL that was signed with `contentMd5` needs the second one. */
const HEADERS = ['content-type', 'content-md5'];
/** Uploaders that complete a multipart upload themselves read it. */
const EXPOSED = ['ETag'];
const MAX_AGE_SECONDS = 3600;

/** Source: "Elements of a CORS configuration", Amazon S3 User Guide; "Configure CORS", Cloudflare R2. */
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
