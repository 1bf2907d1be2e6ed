import assert from 'node:assert/strict';
import { createHmac, createPublicKey, type JsonWebKey } from 'node:crypto';
import {
  createTokenVerifier,
  type IdentitySettings,
  type VerifyToken,
} from '../../../adapters/identity/token-verifier.ts';
import { startIdentityProvider, type IdentityProvider } from '../../../dev/identity/identity.ts';
import { AppError, type ErrorCode } from '../../../domain/common/errors.ts';
import { findClosedOrigin, startSilentServer } from '../../contract/connections.ts';

const nowSeconds = () => Math.floor(Date.now() / 1000);
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('dashboard tokens, against an identity provider', () => {
  let provider: IdentityProvider;
  let verify: VerifyToken;
  const settings = (overrides: Partial<IdentitySettings> = {}): IdentitySettings => ({
    issuer: provider.issuer,
    audience: provider.audience,
    jwksUrl: provider.jwksUrl,
    accountClaim: 'sub',
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
    it(`accepts a valid ${algorithm} token`, async () => {
      const token = await provider.signToken({ sub: 'globex' }, { algorithm });
      assert.deepEqual(await verify(token), { accountId: 'globex', subject: 'globex' });
    });

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
      assert.deepEqual(await verify(token), {
        accountId: client.clientId,
        subject: client.clientId,
      });
    });
  }

  it('finds the keys by discovery where no address is given', async () => {
    const found = createTokenVerifier(settings({ jwksUrl: undefined }));
    assert.deepEqual(await found(await provider.signToken({})), {
      accountId: 'acme',
      subject: 'acme',
    });
  });

  // spec: auth.jwt-rules
  it('allows clocks to differ by 30 seconds, and no more', async () => {
    const at = (claims: object) => provider.signToken({ ...claims });
    assert.ok(await verify(await at({ exp: nowSeconds() - 20 })));
    assert.ok(await verify(await at({ nbf: nowSeconds() + 20 })));
    await refuses(await at({ exp: nowSeconds() - 40 }));
    await refuses(await at({ nbf: nowSeconds() + 40 }));
  });

  const faults = {
    'is expired': { expired: true },
    'is not yet valid': { notYetValid: true },
    'is for another audience': { wrongAudience: true },
    'is of another issuer': { wrongIssuer: true },
    'is signed with another key under the right id': { wrongKey: true },
    'has the algorithm none': { algorithm: 'none' },
    'calls itself HS256': { algorithm: 'HS256' },
  } as const;
  for (const [what, fault] of Object.entries(faults)) {
    // spec: auth.jwt-rules
    it(`refuses one that ${what}`, async () => refuses(await provider.signToken({}, fault)));
  }

  // spec: auth.jwt-rules
  it('refuses HS256 with the public key as the shared secret', async () => {
    const { keys } = (await (await fetch(provider.jwksUrl)).json()) as { keys: JsonWebKey[] };
    const claims = encode({
      iss: provider.issuer,
      aud: provider.audience,
      sub: 'acme',
      exp: nowSeconds() + 60,
    });
    for (const jwk of keys) {
      const pem = createPublicKey({ key: jwk, format: 'jwk' }).export({
        type: 'spki',
        format: 'pem',
      });
      for (const secret of [pem, JSON.stringify(jwk)]) {
        const content = `${encode({ alg: 'HS256', typ: 'JWT', kid: jwk['kid'] })}.${claims}`;
        const signature = createHmac('sha256', secret).update(content).digest('base64url');
        await refuses(`${content}.${signature}`);
      }
    }
  });

  // spec: auth.jwt-rules
  it('refuses one without an end, without a subject, without issuer or audience', async () => {
    for (const claim of ['exp', 'sub', 'iss', 'aud'])
      await refuses(await provider.signToken({ [claim]: undefined }));
  });

  // spec: auth.jwt-rules
  it('refuses claims that were changed after signing', async () => {
    const [header, payload = '', signature] = (await provider.signToken({})).split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
    await refuses(`${header}.${encode({ ...claims, sub: 'globex' })}.${signature}`);
  });

  // spec: auth.jwt-rules
  it('refuses what is no token at all', async () => {
    for (const text of ['', 'a', 'a.b', 'a.b.c', '..', 'x'.repeat(10_000), `${encode({})}..`])
      await refuses(text);
  });

  // spec: auth.jwt-rules
  it('reads the account from the claim that the operator names', async () => {
    const byOrganisation = createTokenVerifier(settings({ accountClaim: 'org_id' }));
    assert.deepEqual(await byOrganisation(await provider.signToken({ org_id: 'org-7' })), {
      accountId: 'org-7',
      subject: 'acme',
    });
    await refuses(await provider.signToken({}), 'unauthorized', byOrganisation);
  });

  // spec: auth.jwt-rules
  it('refuses an account of a wrong shape, and takes 128 characters', async () => {
    const byOrganisation = createTokenVerifier(settings({ accountClaim: 'org' }));
    const wrong = [7, '', null, true, ['a'], { a: 1 }, 'a\nb', 'a\0', '\u007F', 'x'.repeat(300)];
    for (const org of [...wrong, 'x'.repeat(129)])
      await refuses(await provider.signToken({ org }), 'unauthorized', byOrganisation);
    for (const org of ['x'.repeat(128), 'é', 'auth0|123', 'a b'])
      assert.deepEqual(await byOrganisation(await provider.signToken({ org })), {
        accountId: org,
        subject: 'acme',
      });
  });

  // spec: auth.jwt-rules
  it('refuses an account that no database could keep as it is', async () => {
    // Half a surrogate pair becomes U+FFFD in UTF-8: many names would be one account.
    const [half, other] = ['acme\uD800', 'acme\uDFFF'];
    const byOrganisation = createTokenVerifier(settings({ accountClaim: 'org' }));
    for (const org of [half, other])
      await refuses(await provider.signToken({ org }), 'unauthorized', byOrganisation);
  });

  it('says unavailable where the provider cannot be reached, and where it hangs', async () => {
    const token = await provider.signToken({});
    const closed = await findClosedOrigin();
    await refuses(
      token,
      'unavailable',
      createTokenVerifier(settings({ jwksUrl: `${closed}/jwks` })),
    );
    const silent = await startSilentServer();
    const startedAt = performance.now();
    await refuses(
      token,
      'unavailable',
      createTokenVerifier(settings({ jwksUrl: `${silent.origin}/jwks` })),
    );
    assert.ok(performance.now() - startedAt < 5_000);
    await silent.close();
  });

  it('says unavailable where the address has no keys', async () => {
    const token = await provider.signToken({});
    const nowhere = createTokenVerifier(settings({ jwksUrl: `${provider.issuer}/nothing-here` }));
    await refuses(token, 'unavailable', nowhere);
  });
});
