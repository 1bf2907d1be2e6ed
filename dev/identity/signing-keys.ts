import {
  generateKeyPair,
  generateKeyPairSync,
  randomUUID,
  sign as signBytes,
  type KeyObject,
} from 'node:crypto';
import { promisify } from 'node:util';
import type { webcrypto } from 'node:crypto';

export type TokenAlgorithm = 'RS256' | 'ES256';

type PrivateJwk = webcrypto.JsonWebKey & { kid: string; use: 'sig'; alg: TokenAlgorithm };

type KeyIds = Readonly<Record<TokenAlgorithm, string>>;

/** The signing keys of an identity provider: one RSA key, one elliptic-curve key. */
export interface SigningKeys {
  kids: KeyIds;
  /** Resolves when both keys exist. */
  complete: Promise<void>;
  readonly jwks: { keys: PrivateJwk[] };
  sign(claims: Readonly<Record<string, unknown>>, algorithm: TokenAlgorithm): string;
}

interface KeyOfAlgorithm {
  algorithm: TokenAlgorithm;
  kid: string;
  key: KeyObject;
}

const generate = promisify(generateKeyPair);

/** @param kids key ids to imitate */
export async function createSigningKeys(kids?: KeyIds): Promise<SigningKeys> {
  const keys = openSigningKeys(kids);
  await keys.complete;
  return keys;
}

/** Signs with ES256 at once; `complete` resolves when the RSA key is generated. */
export function openSigningKeys(
  kids: KeyIds = { RS256: randomUUID(), ES256: randomUUID() },
): SigningKeys {
  const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const keys: KeyOfAlgorithm[] = [
    { algorithm: 'ES256', kid: kids.ES256, key: elliptic.privateKey },
  ];
  const complete = generate('rsa', { modulusLength: 2048 }).then((rsa) => {
    keys.unshift({ algorithm: 'RS256', kid: kids.RS256, key: rsa.privateKey });
  });
  return {
    kids,
    complete,
    get jwks() {
      return { keys: keys.map(toPrivateJwk) };
    },
    sign: (claims, algorithm) => signWith(keyFor(keys, algorithm), claims),
  };
}

/** The public keys. */
export function toPublicJwks(keys: SigningKeys): { keys: Record<string, unknown>[] } {
  const names = new Set(['kty', 'n', 'e', 'crv', 'x', 'y', 'kid', 'use', 'alg']);
  const isPublic = ([name]: [string, unknown]) => names.has(name);
  return {
    keys: keys.jwks.keys.map((jwk) => Object.fromEntries(Object.entries(jwk).filter(isPublic))),
  };
}

function toPrivateJwk({ algorithm, kid, key }: KeyOfAlgorithm): PrivateJwk {
  return {
    ...(key.export({ format: 'jwk' }) as webcrypto.JsonWebKey),
    kid,
    use: 'sig',
    alg: algorithm,
  };
}

function keyFor<T extends { algorithm: TokenAlgorithm }>(
  keys: readonly T[],
  algorithm: TokenAlgorithm,
): T {
  const found = keys.find((key) => key.algorithm === algorithm);
  if (found === undefined) throw new Error(`no key for ${algorithm}`);
  return found;
}

function signWith(
  { algorithm, kid, key }: KeyOfAlgorithm,
  claims: Readonly<Record<string, unknown>>,
): string {
  const content = `${encode({ alg: algorithm, typ: 'at+jwt', kid })}.${encode(claims)}`;
  // ES256 signatures are r and s concatenated, not DER; RSA ignores the option.
  const signature = signBytes('sha256', Buffer.from(content), { key, dsaEncoding: 'ieee-p1363' });
  return `${content}.${signature.toString('base64url')}`;
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
