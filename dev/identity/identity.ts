import { randomBytes, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { ClientMetadata } from 'oidc-provider';
import { createMemoryStores } from './memory-store.ts';
import { serveIdentity, TOKEN_TTL_SECONDS } from './identity-server.ts';
import { takeFreePort } from '../system/ports.ts';
import { createSigningKeys, openSigningKeys, type TokenAlgorithm } from './signing-keys.ts';
import {
  DASHBOARD_CLIENT,
  DASHBOARD_CLIENT_ID,
  createUsers,
  peopleClaims,
  type IdentityUser,
} from './users.ts';

export interface IdentityOptions {
  port?: number;
  /** The address on which it listens; 127.0.0.1 by default. */
  host?: string;
  /** By which clients reach it; by default, on this machine. */
  issuer?: string;
  /** The audience of tokens; also the `resource` that clients request. */
  audience?: string;
  accounts?: readonly string[];
  /** Loading the provider blocks this thread for half a second; it starts after this promise. */
  loadAfter?: Promise<unknown>;
}

export interface IdentityClient {
  /** Also the account id: `sub` is the client's id. */
  clientId: string;
  clientSecret: string;
}

export interface TokenRequest {
  account: string;
  ttlSeconds?: number;
  algorithm?: TokenAlgorithm;
  claims?: Readonly<Record<string, unknown>>;
}

/** Defects of a token that a verifier must refuse. */
export interface TokenFaults {
  expired?: boolean;
  notYetValid?: boolean;
  wrongAudience?: boolean;
  wrongIssuer?: boolean;
  /** The right key id with another key. */
  wrongKey?: boolean;
  /** `none` and `HS256` are known attacks. */
  algorithm?: TokenAlgorithm | 'none' | 'HS256';
}

/** An OpenID provider in this process: discovery, JWKS, client credentials, and users who log in to the dashboard. */
export interface IdentityProvider {
  issuer: string;
  audience: string;
  jwksUrl: string;
  tokenUrl: string;
  /** Settles when the issuer answers; ES256 tokens can be issued before. */
  ready: Promise<void>;
  clients: readonly IdentityClient[];
  /** An owner of each account, and colleagues in the first one, without a password. */
  users: readonly IdentityUser[];
  addClient(account: string, algorithm?: TokenAlgorithm): IdentityClient;
  /** A token of the same shape as the token endpoint's, for any account. */
  issueToken(request: TokenRequest): string;
  /** Signs the default claims with these overrides (undefined removes one) and defects. */
  signToken(claims: Readonly<Record<string, unknown>>, faults?: TokenFaults): Promise<string>;
  /** The access tokens of users live so long from the next one on; a verifier may accept them a little longer. */
  setUserTokenSeconds(seconds: number): void;
  /** Ends the sessions of all users: nothing renews their tokens. */
  endSessions(): void;
  close(): Promise<void>;
}

export async function startIdentityProvider(
  options: IdentityOptions = {},
): Promise<IdentityProvider> {
  const identity = await openIdentityProvider(options);
  await identity.ready;
  return identity;
}

/** Returns addresses and tokens at once; `ready` resolves when the provider itself is loaded. */
export async function openIdentityProvider(
  options: IdentityOptions = {},
): Promise<IdentityProvider> {
  const port = options.port ?? (await takeFreePort());
  const { host = '127.0.0.1', issuer = `http://127.0.0.1:${port}` } = options;
  const audience = options.audience ?? 'https://api.storage-routing.local';
  const keys = openSigningKeys();
  const registry = new Map([[DASHBOARD_CLIENT_ID, DASHBOARD_CLIENT]]);
  const addClient = (account: string, algorithm: TokenAlgorithm = 'RS256') => {
    const client = { clientId: account, clientSecret: randomBytes(24).toString('base64url') };
    registry.set(account, toMetadata(client, algorithm));
    return client;
  };
  const accounts = options.accounts ?? ['acme', 'globex'];
  const clients = accounts.map((account) => addClient(account));
  const users = createUsers(accounts);
  const stores = createMemoryStores();
  const server = createServer();
  const service = {
    port,
    host,
    issuer,
    audience,
    keys,
    registry,
    users,
    stores,
    userTokenSeconds: TOKEN_TTL_SECONDS,
  };
  const ready = serveIdentity(server, service, options.loadAfter ?? Promise.resolve());
  ready.catch(() => {});

  const usualClaims = (account: string, ttlSeconds: number) => {
    const now = Math.floor(Date.now() / 1000);
    const times = { iat: now, exp: now + ttlSeconds };
    return {
      iss: issuer,
      sub: account,
      client_id: account,
      aud: audience,
      jti: randomUUID(),
      ...peopleClaims([], account),
      ...times,
    };
  };
  return {
    issuer,
    audience,
    ready,
    clients,
    users,
    addClient,
    jwksUrl: `${issuer}/jwks`,
    tokenUrl: `${issuer}/token`,
    issueToken({ account, ttlSeconds = TOKEN_TTL_SECONDS, algorithm = 'RS256', claims = {} }) {
      return keys.sign({ ...usualClaims(account, ttlSeconds), ...claims }, algorithm);
    },
    async signToken(claims, faults = {}) {
      const all = { ...usualClaims('acme', TOKEN_TTL_SECONDS), ...claims, ...faultyClaims(faults) };
      const algorithm = faults.algorithm ?? 'RS256';
      if (algorithm === 'none' || algorithm === 'HS256')
        return disguise(keys.sign(all, 'RS256'), algorithm);
      return (faults.wrongKey ? await createSigningKeys(keys.kids) : keys).sign(all, algorithm);
    },
    setUserTokenSeconds: (seconds) => void (service.userTokenSeconds = seconds),
    endSessions: () => stores.clear(),
    async close() {
      await ready.catch(() => {});
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function toMetadata(client: IdentityClient, algorithm: TokenAlgorithm): ClientMetadata {
  return {
    client_id: client.clientId,
    client_secret: client.clientSecret,
    grant_types: ['client_credentials'],
    response_types: [],
    redirect_uris: [],
    id_token_signed_response_alg: algorithm,
  };
}

function faultyClaims(faults: TokenFaults): Record<string, unknown> {
  const now = Math.floor(Date.now() / 1000);
  return {
    ...(faults.expired && { iat: now - 7200, exp: now - 3600 }),
    ...(faults.notYetValid && { nbf: now + 3600 }),
    ...(faults.wrongAudience && { aud: 'https://elsewhere.example' }),
    ...(faults.wrongIssuer && { iss: 'https://elsewhere.example' }),
  };
}

function disguise(token: string, algorithm: 'none' | 'HS256'): string {
  const [, payload = '', signature = ''] = token.split('.');
  const header = Buffer.from(JSON.stringify({ alg: algorithm, typ: 'at+jwt' })).toString(
    'base64url',
  );
  return `${header}.${payload}.${algorithm === 'none' ? '' : signature}`;
}
