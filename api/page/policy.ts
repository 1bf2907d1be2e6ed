import type { EndpointOverrides } from '../../adapters/object-store/address.ts';
import { REPORT_STYLE_SOURCE } from '../../report/html.ts';
import type { PriceBook } from '../../domain/pricing/price-book.ts';

/** The fields of a discovery document that a page calls, or opens in a frame. */
const CALLED = ['token_endpoint', 'userinfo_endpoint', 'jwks_uri', 'revocation_endpoint'] as const;
const FRAMED = ['authorization_endpoint', 'end_session_endpoint'] as const;

/** The origins of an identity provider. */
export interface IssuerOrigins {
  readonly called: readonly string[];
  readonly framed: readonly string[];
}

/** @param discovery the issuer's document; undefined if it could not be fetched */
export function issuerOrigins(
  issuer: string,
  discovery: Readonly<Record<string, unknown>> | undefined,
): IssuerOrigins {
  const listOrigins = (names: readonly string[]): string[] => {
    const origins = [issuer, ...names.map((name) => discovery?.[name])].flatMap((url) =>
      typeof url === 'string' && URL.canParse(url) && /^https?:/i.test(url)
        ? [new URL(url).origin]
        : [],
    );
    return [...new Set(origins)];
  };
  return { called: listOrigins(CALLED), framed: listOrigins(FRAMED) };
}

/**
 * The origins that browsers upload to: the operator's endpoints, and the providers' own, of AWS in
 * the known regions.
 */
export function storeOrigins(
  { catalogue, regions }: Pick<PriceBook, 'catalogue' | 'regions'>,
  overrides: EndpointOverrides,
): readonly string[] {
  return catalogue.providers.flatMap((provider) => {
    const override = overrides[provider];
    if (override !== undefined) return new URL(override).origin;
    return catalogue.entry(provider).hosts(regions(provider));
  });
}

/**
 * The Content-Security-Policy of the page. Silent renewal opens the identity provider in a frame,
 * which leads back to this page, so the page may be framed by itself. The nonce is for the one
 * style element that the component library inserts, the hash for the report, which the page shows
 * in a frame.
 */
export function buildPolicy(
  issuer: IssuerOrigins,
  stores: readonly string[],
  nonce: string,
): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}' ${REPORT_STYLE_SOURCE}`,
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src ${["'self'", ...issuer.called, ...stores].join(' ')}`,
    `frame-src ${["'self'", ...issuer.framed].join(' ')}`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'self'",
  ].join('; ');
}
