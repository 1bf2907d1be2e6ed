import { fetchBounded } from '../bounded-fetch.ts';

const FETCH_TIMEOUT_MS = 3_000;

/**
 * The discovery document of an issuer (OpenID Connect Discovery 1.0, sections 4 and 4.3). Its
 * fields are as the provider wrote them.
 *
 * @throws Error if the provider does not answer, or with the document of another issuer
 */
export async function discoverIssuer(issuer: string): Promise<Readonly<Record<string, unknown>>> {
  const answer = await fetchIdentityJson(
    `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
  );
  const document = (answer ?? {}) as Readonly<Record<string, unknown>>;
  if (document['issuer'] !== issuer) throw new Error('the discovery document is of another issuer');
  return document;
}

/** @throws Error if the provider does not answer in time, or with another status than success */
export async function fetchIdentityJson(url: string): Promise<unknown> {
  const response = await fetchBounded(url, {
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(FETCH_TIMEOUT_MS),
  });
  if (!response.ok) throw new Error(`the identity provider answered ${response.status}`);
  return response.json();
}
