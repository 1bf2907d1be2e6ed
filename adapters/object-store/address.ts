import { AppError } from '../../domain/common/errors.ts';
import type { Catalogue, ProviderName, StoreLocation } from '../../domain/providers/catalogue.ts';

/** Origins that the operator configured in place of the providers' own. */
export type EndpointOverrides = Readonly<Partial<Record<ProviderName, string>>>;

/** The S3 endpoint of a location, without the bucket. */
export interface StoreEndpoint {
  readonly origin: string;
  /** The bucket is part of the path, not of the host name. */
  readonly pathStyle: boolean;
}

/** @throws AppError `provider_not_configured` for a store that the catalogue has no more */
export type FindEndpoint = (location: StoreLocation) => StoreEndpoint;

/** An operator's endpoint is used in path style: only its own name is sure to resolve. */
export function createEndpoints(catalogue: Catalogue, overrides: EndpointOverrides): FindEndpoint {
  return (location) => {
    const { provider } = location;
    const origin = overrides[provider];
    if (origin !== undefined) return { origin, pathStyle: true };
    if (!catalogue.has(provider))
      throw new AppError('provider_not_configured', `${provider} is no store of this service.`);
    const entry = catalogue.entry(provider);
    return { origin: entry.endpoint(location), pathStyle: entry.pathStyle };
  };
}

/** Where requests for one bucket go. */
export interface BucketAddress {
  readonly provider: ProviderName;
  readonly protocol: 'http:' | 'https:';
  readonly hostname: string;
  readonly port: number | undefined;
  /** The origin without the bucket. */
  readonly endpoint: string;
  /** Precedes the key; empty if the bucket is part of the host name. */
  readonly pathPrefix: string;
  readonly region: string;
}

/** Bucket names that can be a label of a host name under a wildcard certificate. */
const BUCKET_LABEL = /^[a-z0-9](?:[a-z0-9-]{1,61}[a-z0-9])$/;

/** Unless the store takes paths only, the bucket is part of the host name, as in SDKs. */
export function bucketAddress(location: StoreLocation, findEndpoint: FindEndpoint): BucketAddress {
  const { origin: endpoint, pathStyle } = findEndpoint(location);
  const origin = new URL(endpoint);
  const inHost = !pathStyle && BUCKET_LABEL.test(location.bucketName);
  return {
    provider: location.provider,
    protocol: origin.protocol === 'http:' ? 'http:' : 'https:',
    hostname: inHost ? `${location.bucketName}.${origin.hostname}` : origin.hostname,
    port: origin.port === '' ? undefined : Number(origin.port),
    endpoint: origin.origin,
    pathPrefix: inHost ? '' : `/${location.bucketName}`,
    region: location.region,
  };
}

/** The `host` header. */
export function hostHeader({ hostname, port }: Pick<BucketAddress, 'hostname' | 'port'>): string {
  return port === undefined ? hostname : `${hostname}:${port}`;
}

/**
 * The path of an object, with each byte of its key. No URL parser may see it: it would normalise
 * `//`, `.` and `..`, which are ordinary parts of customers' keys.
 */
export function objectPath(address: Pick<BucketAddress, 'pathPrefix'>, key: string): string {
  return `${address.pathPrefix}/${key.split('/').map(escapeSegment).join('/')}`;
}

/** A query as sent: escaped and sorted as the signature requires; empty without parameters. */
export function queryString(query: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(query)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${escapeSegment(name)}=${escapeSegment(value)}`);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/** Only RFC 3986 unreserved characters stay; encodeURIComponent leaves five more. */
function escapeSegment(segment: string): string {
  return encodeURIComponent(segment).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
