import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
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

describe('a user of the identity provider', () => {
  let identity: IdentityProvider;
  before(async () => {
    identity = await startIdentityProvider();
  });
  after(async () => await identity.close());

  const redirectUri = 'http://127.0.0.1:4711/dashboard/callback';
  const verifier = 'v'.repeat(43);
  const challenge = createHash('sha256').update(verifier).digest('base64url');

  /** A browser's cookies, for one host. */
  function createBrowser() {
    const cookies = new Map<string, string>();
    return async (url: string, init: RequestInit = {}) => {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const response = await fetch(url, { ...init, headers: { cookie }, redirect: 'manual' });
      for (const set of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
        cookies.set(name, value);
      }
      return response;
    };
  }
  type Browser = ReturnType<typeof createBrowser>;

  function authorizeUrl(prompt?: string): string {
    const parameters = new URLSearchParams({
      client_id: 'dashboard',
      response_type: 'code',
      redirect_uri: redirectUri,
      scope: 'openid',
      resource: identity.audience,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      ...(prompt !== undefined && { prompt }),
    });
    return `${identity.issuer}/auth?${parameters.toString()}`;
  }

  async function locationOf(browse: Browser, url: string, init?: RequestInit): Promise<string> {
    const response = await browse(url, init);
    const location = response.headers.get('location');
    assert.ok(location, `${url} answered ${response.status}: ${await response.text()}`);
    return new URL(location, url).href;
  }

  /** @returns the code */
  async function logIn(browse: Browser, user: string): Promise<string> {
    const page = await locationOf(browse, authorizeUrl());
    const html = await (await browse(page)).text();
    assert.match(html, new RegExp(`value="${user}"`));
    const body = new URLSearchParams({ user });
    const resumed = await locationOf(browse, page, { method: 'POST', body });
    const callback = await locationOf(browse, resumed);
    assert.ok(callback.startsWith(`${redirectUri}?`), callback);
    return new URL(callback).searchParams.get('code') ?? '';
  }

  async function exchange(parameters: Record<string, string>, origin = 'http://127.0.0.1:4711') {
    const response = await fetch(identity.tokenUrl, {
      method: 'POST',
      headers: { origin },
      body: new URLSearchParams({ client_id: 'dashboard', ...parameters }),
    });
    const body = (await response.json()) as Record<string, string>;
    return { response, body };
  }

  it('logs in by code with PKCE, as the account of the other tokens, and stays logged in', async () => {
    const browse = createBrowser();
    const code = await logIn(browse, 'alice');
    const granted = { grant_type: 'authorization_code', code, redirect_uri: redirectUri };
    const refused = await exchange({ ...granted, code_verifier: 'w'.repeat(43) });
    assert.equal(refused.response.status, 400);

    const { searchParams } = new URL(await locationOf(browse, authorizeUrl('none')));
    const silent = { ...granted, code: searchParams.get('code') ?? '', code_verifier: verifier };
    const { response, body } = await exchange(silent);
    assert.equal(response.status, 200, JSON.stringify(body));
    assert.equal(response.headers.get('access-control-allow-origin'), 'http://127.0.0.1:4711');
    const jwks = createRemoteJWKSet(new URL(identity.jwksUrl));
    const { payload } = await jwtVerify(body['access_token'] ?? '', jwks, {
      issuer: identity.issuer,
      audience: identity.audience,
    });
    assert.equal(payload.sub, 'acme');
    const renewal = { grant_type: 'refresh_token', refresh_token: body['refresh_token'] ?? '' };
    assert.equal((await exchange(renewal)).response.status, 200);
  });

  it('is logged out when its sessions end', async () => {
    const browse = createBrowser();
    const code = await logIn(browse, 'bob');
    const { body } = await exchange({
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    });
    identity.endSessions();
    const { searchParams } = new URL(await locationOf(browse, authorizeUrl('none')));
    assert.equal(searchParams.get('error'), 'login_required');
    const renewal = { grant_type: 'refresh_token', refresh_token: body['refresh_token'] ?? '' };
    assert.equal((await exchange(renewal)).response.status, 400);
  });
});
