import type { ProviderName } from './catalogue.ts';

const LISTING_PERMISSIONS: Readonly<Record<ProviderName, string>> = {
  b2: 'listBuckets of the key',
};

/** Without it a store answers a request for a missing object with 403, in the store's words. */
export function listingPermission(provider: ProviderName): string {
  return LISTING_PERMISSIONS[provider] ?? 's3:ListBucket';
}

/** The domain of the hosts of R2, and the keys that it takes. */
const R2_DOMAIN = '.r2.cloudflarestorage.com';
const R2_KEY_ID = /^[0-9a-f]{32}$/i;
const R2_SECRET = /^[0-9a-f]{64}$/i;

/** What is wrong with the form of a store's keys; undefined: nothing, or the form is not known. */
export function doubtAboutKeys(
  hostname: string,
  {
    accessKeyId,
    secretAccessKey,
  }: { readonly accessKeyId: string; readonly secretAccessKey: string },
): string | undefined {
  if (!hostname.endsWith(R2_DOMAIN)) return undefined;
  if (!R2_KEY_ID.test(accessKeyId)) return wrongLength('key id');
  return R2_SECRET.test(secretAccessKey) ? undefined : wrongLength('secret');
}

function wrongLength(what: string): string {
  return `the ${what} has the wrong length; are the two swapped?`;
}
