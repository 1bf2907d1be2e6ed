import assert from 'node:assert/strict';
import {
  createTokenVerifier,
  type IdentitySettings,
  type VerifyToken,
} from '../../../adapters/identity/token-verifier.ts';
import { startIdentityProvider, type IdentityProvider } from '../../../dev/identity/identity.ts';
import { AppError, type ErrorCode } from '../../../domain/common/errors.ts';
import { findClosedOrigin, startSilentServer } from '../../contract/connections.ts';

/** A person without a name. */
const callerOf = (accountId: string, subject = accountId) => ({
  accountId,
  person: { subject, name: subject },
  mayChange: true,
});
const nowSeconds = () => Math.floor(Date.now() / 1000);

describe('dashboard tokens, against an identity provider', () => {
  let provider: IdentityProvider;
  let verify: VerifyToken;
  const settings = (overrides: Partial<IdentitySettings> = {}): IdentitySettings => ({
    issuer: provider.issuer,
    audience: provider.audience,
    jwksUrl: provider.jwksUrl,
    accountClaim: 'sub',
    roleClaim: undefined,
    ...overrides,
  });
  before(async () => {
    provider = await startIdentityProvider();
    verify = createTokenVerifier(settings());
  });
  after(() => provider.close());

  async function refuses(
    token: string,
    code: ErrorCode = 'unauthorized',
    by = verify,
  ): Promise<void> {
    await assert.rejects(by(token), (error) => {
      assert.ok(error instanceof AppError, String(error));
      assert.equal(error.code, code);
      assert.match(error.message, /^[A-Za-z ,.]+$/, 'the reason stays with us');
      return true;
    });
  }

  for (const algorithm of ['RS256', 'ES256'] as const) {
    // spec: auth.issued-by-identity-provider
    it(`accepts ${algorithm} from the token endpoint itself`, async () => {
      const client = provider.addClient(`client-${algorithm}`, algorithm);
      const answer = await fetch(provider.tokenUrl, {
        method: 'POST',
        headers: {
          authorization: `Basic ${btoa(`${client.clientId}:${client.clientSecret}`)}`,
        },
        body: new URLSearchParams({ grant_type: 'client_credentials' }),
      });
      const { access_token: token } = (await answer.json()) as { access_token: string };
      assert.deepEqual(await verify(token), callerOf(client.clientId));
    });
  }

  it('finds the keys by discovery where no address is given', async () => {
    const found = createTokenVerifier(settings({ jwksUrl: undefined }));
    assert.deepEqual(await found(await provider.signToken({})), callerOf('acme'));
  });

  // spec: auth.jwt-rules
  it('allows clocks to differ by 30 seconds, and no more', async () => {
    const at = (claims: object) => provider.signToken({ ...claims });
    assert.ok(await verify(await at({ exp: nowSeconds() - 20 })));
    assert.ok(await verify(await at({ nbf: nowSeconds() + 20 })));
    await refuses(await at({ exp: nowSeconds() - 40 }));
    await refuses(await at({ nbf: nowSeconds() + 40 }));
  });

  // spec: auth.jwt-rules
  it('reads the account from the claim that the operator names', async () => {
    const byOrganisation = createTokenVerifier(settings({ accountClaim: 'org_id' }));
    assert.deepEqual(
      await byOrganisation(await provider.signToken({ org_id: 'org-7' })),
      callerOf('org-7', 'acme'),
    );
    await refuses(await provider.signToken({}), 'unauthorized', byOrganisation);
  });

  // spec: auth.jwt-rules
  it('refuses an account of a wrong shape, and takes 128 characters', async () => {
    const byOrganisation = createTokenVerifier(settings({ accountClaim: 'org' }));
    // Half a surrogate pair becomes U+FFFD in UTF-8: many names would be one account.
    const halves = ['acme\uD800', 'acme\uDFFF'];
    const wrong = [7, '', null, true, ['a'], { a: 1 }, 'a\nb', 'a\0', '\u007F', 'x'.repeat(129)];
    for (const org of [...wrong, ...halves])
      await refuses(await provider.signToken({ org }), 'unauthorized', byOrganisation);
    for (const org of ['x'.repeat(128), 'é', 'auth0|123', 'a b'])
      assert.deepEqual(
        await byOrganisation(await provider.signToken({ org })),
        callerOf(org, 'acme'),
      );
  });

  it('says unavailable where the provider cannot be reached, hangs, or has no keys there', async () => {
    const token = await provider.signToken({});
    const silent = await startSilentServer();
    const startedAt = performance.now();
    for (const jwksUrl of [
      `${await findClosedOrigin()}/jwks`,
      `${silent.origin}/jwks`,
      `${provider.issuer}/nothing-here`,
    ])
      await refuses(token, 'unavailable', createTokenVerifier(settings({ jwksUrl })));
    assert.ok(performance.now() - startedAt < 5_000);
    await silent.close();
  });
});
