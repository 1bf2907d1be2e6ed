import assert from 'node:assert/strict';
import {
  createTokenVerifier,
  type IdentitySettings,
  type VerifyToken,
} from '../../../adapters/identity/token-verifier.ts';
import { startIdentityProvider, type IdentityProvider } from '../../../dev/identity/identity.ts';
import { AppError, type ErrorCode } from '../../../domain/common/errors.ts';

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

  async function refuses(token: string, code: ErrorCode = 'unauthorized', by = verify) {
    await assert.rejects(by(token), (error) => {
      assert.ok(error instanceof AppError, String(error));
      assert.equal(error.code, code);
      assert.match(error.message, /^[A-Za-z ,.]+$/, 'the reason stays with us');
      return true;
    });
  }

  // spec: auth.issued-by-identity-provider
  it('accepts both algorithms from the token endpoint itself, and finds its keys by discovery', async () => {
    const found = createTokenVerifier(settings({ jwksUrl: undefined }));
    for (const algorithm of ['RS256', 'ES256'] as const) {
      const client = provider.addClient(`client-${algorithm}`, algorithm);
      const basic = btoa(`${client.clientId}:${client.clientSecret}`);
      const body = new URLSearchParams({ grant_type: 'client_credentials' });
      const headers = { authorization: `Basic ${basic}` };
      const answer = await fetch(provider.tokenUrl, { method: 'POST', headers, body });
      const { access_token: token } = (await answer.json()) as { access_token: string };
      for (const by of [verify, found])
        assert.deepEqual(await by(token), callerOf(client.clientId));
    }
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
  it('reads the account from the claim that the operator names, of 1 to 128 characters', async () => {
    const by = createTokenVerifier(settings({ accountClaim: 'org' }));
    for (const org of ['org-7', 'x'.repeat(128), 'é', 'auth0|123', 'a b'])
      assert.deepEqual(await by(await provider.signToken({ org })), callerOf(org, 'acme'));
    // Half a surrogate pair becomes U+FFFD in UTF-8: many names would be one account.
    const halves = ['acme\uD800', 'acme\uDFFF'];
    const wrong = [7, '', null, true, ['a'], { a: 1 }, 'a\nb', 'a\0', '\u007F', 'x'.repeat(129)];
    for (const org of [undefined, ...wrong, ...halves])
      await refuses(await provider.signToken({ org }), 'unauthorized', by);
  });
});
