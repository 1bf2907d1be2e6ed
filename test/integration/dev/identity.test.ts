import assert from 'node:assert/strict';
import { createRemoteJWKSet, jwtVerify, type JWTVerifyGetKey } from 'jose';
import {
  startIdentityProvider,
  type IdentityClient,
  type IdentityProvider,
} from '../../../dev/identity/identity.ts';

describe('the identity provider', () => {
  let identity: IdentityProvider;
  let jwks: JWTVerifyGetKey;
  before(async () => {
    identity = await startIdentityProvider({ accounts: ['acme', 'globex'] });
    jwks = createRemoteJWKSet(new URL(identity.jwksUrl));
  });
  after(async () => await identity.close());

  const verify = async (token: string) =>
    await jwtVerify(token, jwks, { issuer: identity.issuer, audience: identity.audience });

  async function askForToken(client: IdentityClient): Promise<string> {
    const response = await fetch(identity.tokenUrl, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${client.clientId}:${client.clientSecret}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', resource: identity.audience }),
    });
    const body = (await response.json()) as { access_token?: string };
    assert.equal(response.status, 200, JSON.stringify(body));
    return body.access_token ?? '';
  }

  it('is found by discovery', async () => {
    const response = await fetch(`${identity.issuer}/.well-known/openid-configuration`);
    const found = (await response.json()) as Record<string, unknown>;
    assert.equal(found['issuer'], identity.issuer);
    assert.equal(found['jwks_uri'], identity.jwksUrl);
    assert.equal(found['token_endpoint'], identity.tokenUrl);
  });

  for (const algorithm of ['RS256', 'ES256'] as const) {
    it(`issues ${algorithm} tokens by client credentials, also to clients added later`, async () => {
      const client = identity.addClient(`later-${algorithm}`, algorithm);
      const { payload, protectedHeader } = await verify(await askForToken(client));
      assert.equal(payload.sub, client.clientId);
      assert.equal(protectedHeader.alg, algorithm);
      assert.equal(Number(payload.exp) - Number(payload.iat), 12 * 3600);
    });
  }

  it('issues tokens of the same form directly, for any account', async () => {
    const [client] = identity.clients;
    assert.ok(client);
    const theirs = await verify(await askForToken(client));
    const ours = await verify(identity.issueToken({ account: 'acme' }));
    assert.deepEqual(Object.keys(ours.payload).toSorted(), Object.keys(theirs.payload).toSorted());
    assert.deepEqual(
      { ...ours.payload, jti: '', iat: 0, exp: 0 },
      { ...theirs.payload, jti: '', iat: 0, exp: 0 },
    );
    assert.deepEqual(ours.protectedHeader, theirs.protectedHeader);
    assert.equal(
      (await verify(identity.issueToken({ account: 'new', algorithm: 'ES256' }))).payload.sub,
      'new',
    );
  });

  it('signs what a check has to refuse', async () => {
    await verify(await identity.signToken({ sub: 'fine' }));
    const faults = [
      [{ expired: true }, 'ERR_JWT_EXPIRED'],
      [{ notYetValid: true }, 'ERR_JWT_CLAIM_VALIDATION_FAILED'],
      [{ wrongAudience: true }, 'ERR_JWT_CLAIM_VALIDATION_FAILED'],
      [{ wrongIssuer: true }, 'ERR_JWT_CLAIM_VALIDATION_FAILED'],
      [{ wrongKey: true }, 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED'],
      [{ algorithm: 'none' }, 'ERR_JOSE_NOT_SUPPORTED'],
      [{ algorithm: 'HS256' }, 'ERR_JOSE_NOT_SUPPORTED'],
    ] as const;
    for (const [fault, code] of faults) {
      await assert.rejects(
        verify(await identity.signToken({}, fault)),
        { code },
        JSON.stringify(fault),
      );
    }
    const { payload } = await verify(await identity.signToken({ sub: undefined }));
    assert.equal('sub' in payload, false);
  });
});
