import { errors, jwtVerify, type JSONWebKeySet, type JWTPayload } from 'jose';
import { CHANGING_ROLES, type Person } from '../../domain/accounts/person.ts';
import { AppError } from '../../domain/common/errors.ts';
import { discoverIssuer, fetchIdentityJson } from './discovery.ts';
import { createKeySet } from './key-set.ts';

const CLOCK_TOLERANCE_SECONDS = 30;
/** Asymmetric only: with a shared secret, a verifier could also issue tokens. */
const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');
/** The claims become stored ids, so their form is restricted. */
const SANE_ID = /^[^\p{Cc}\p{Cs}]{1,128}$/u;

export interface IdentitySettings {
  readonly issuer: string;
  readonly audience: string;
  /** Default: OIDC discovery. */
  readonly jwksUrl: string | undefined;
  readonly accountClaim: string;
  /** Holds a role, or a list of roles. Undefined: everyone with a valid token may change all. */
  readonly roleClaim: string | undefined;
}

/** The caller of a dashboard token. */
export interface DashboardCaller {
  readonly accountId: string;
  readonly person: Person;
  /** Whether the person may make calls that change something. */
  readonly mayChange: boolean;
}

/**
 * Verifies a dashboard token, and returns its account and its person.
 *
 * @throws AppError `unauthorized` for an invalid token, `unavailable` if the key is unknown and the
 * identity provider does not answer.
 */
export type VerifyToken = (token: string) => Promise<DashboardCaller>;

export function createTokenVerifier(settings: IdentitySettings): VerifyToken {
  const keySet = createKeySet({
    fetchKeys: () => fetchKeys(settings),
    monotonicMs: () => performance.now(),
  });

  return async (token) => {
    try {
      const { payload } = await jwtVerify(token, keySet, {
        issuer: settings.issuer,
        audience: settings.audience,
        algorithms: ALGORITHMS,
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        requiredClaims: ['exp', 'sub'],
      });
      const accountId = payload[settings.accountClaim];
      const subject = payload.sub ?? '';
      if (!isId(accountId) || !isId(subject)) throw new AppError('unauthorized');
      const name = [payload['name'], payload['email']].find(isId) ?? subject;
      const mayChange = hasChangingRole(settings.roleClaim, payload);
      return { accountId, person: { subject, name }, mayChange };
    } catch (error) {
      if (error instanceof errors.JOSEError)
        throw new AppError('unauthorized', undefined, { cause: error });
      throw error;
    }
  };
}

function isId(claim: unknown): claim is string {
  return typeof claim === 'string' && SANE_ID.test(claim);
}

function hasChangingRole(roleClaim: string | undefined, payload: JWTPayload): boolean {
  if (roleClaim === undefined) return true;
  const roles = new Set<unknown>([payload[roleClaim]].flat());
  return CHANGING_ROLES.some((role) => roles.has(role));
}

async function fetchKeys({ issuer, jwksUrl }: IdentitySettings): Promise<JSONWebKeySet> {
  const url = jwksUrl ?? (await discoverIssuer(issuer))['jwks_uri'];
  if (typeof url !== 'string') throw new Error('the discovery document has no jwks_uri');
  return (await fetchIdentityJson(url)) as JSONWebKeySet;
}
