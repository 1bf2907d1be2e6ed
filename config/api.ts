import type { StripeSettings } from '../adapters/billing/stripe.ts';
import type { IdentitySettings } from '../adapters/identity/token-verifier.ts';
import type { KeyMode } from '../domain/accounts/api-key.ts';
import { PLAN_NAMES, type PlanName } from '../domain/accounts/plan.ts';
import type { RateLimits } from '../domain/accounts/rate-limits.ts';
import {
  EXTERNAL_ID_RULES,
  OWN_ACCOUNT_RULES,
  type ExternalIdRule,
  type OwnAccountRule,
} from '../domain/connections/connection.ts';
import { readConfig, type Environment, type Reader } from './environment.ts';
import { MAX_URL_SECONDS, readShared, type SharedConfig } from './shared.ts';

export interface ApiConfig extends SharedConfig {
  readonly port: number;
  readonly identity: IdentitySettings;
  readonly keyMode: KeyMode;
  readonly defaultPlan: PlanName;
  readonly externalIds: ExternalIdRule;
  readonly ownAccountRoles: OwnAccountRule;
  /** The template of the customers' role in a bucket of the operator. Undefined: there is none. */
  readonly connectTemplateUrl: string | undefined;
  readonly uploadUrlSeconds: number;
  readonly uploadGraceSeconds: number;
  readonly dashboardOrigins: readonly string[];
  /** Undefined: the API serves no page. */
  readonly dashboard: DashboardSettings | undefined;
  /** Undefined: billing is not configured. */
  readonly stripe: StripeSettings | undefined;
  readonly rateLimits: RateLimits;
  /** The most of one account. */
  readonly maxPendingFiles: number;
  /** The bytes of one approved move, at most. */
  readonly migrationMaxBytes: number;
  readonly trustedProxies: number;
}

/** How the page logs its users in. */
export interface DashboardSettings {
  /** The id of a public client at the identity provider. Undefined: the page says so. */
  readonly clientId: string | undefined;
  readonly scope: string;
  /** The parameter by which the identity provider takes the audience of an access token. */
  readonly audienceParameter: AudienceParameter;
}

/** `resource` is RFC 8707; some providers have `audience`, others derive it from the scope. */
const AUDIENCE_PARAMETERS = ['resource', 'audience', 'none'] as const;
export type AudienceParameter = (typeof AUDIENCE_PARAMETERS)[number];

const MAX_GRACE_SECONDS = 30 * 86_400;
const MAX_RATE = 1_000_000_000;

/** @throws ConfigError that names every problem at once. */
export function readApiConfig(env: Environment): ApiConfig {
  return readConfig(env, (from) => ({
    ...readShared(from),
    port: from.integer('PORT', 8080, 0, 65_535),
    identity: {
      issuer: from.url('JWT_ISSUER') ?? from.missing('JWT_ISSUER'),
      audience: from.optional('JWT_AUDIENCE') ?? from.missing('JWT_AUDIENCE'),
      jwksUrl: from.url('JWT_JWKS_URL'),
      accountClaim: from.text('JWT_ACCOUNT_CLAIM', 'sub'),
      roleClaim: from.optional('JWT_ROLE_CLAIM'),
    },
    keyMode: from.oneOf('KEY_MODE', ['live', 'test'], 'test'),
    defaultPlan: from.oneOf('DEFAULT_PLAN', PLAN_NAMES, 'free'),
    externalIds: from.oneOf('SCANNER_EXTERNAL_ID', EXTERNAL_ID_RULES, 'enforce'),
    ownAccountRoles: from.oneOf('SCANNER_OWN_ACCOUNT', OWN_ACCOUNT_RULES, 'refuse'),
    connectTemplateUrl: from.httpsUrl('CONNECT_TEMPLATE_URL'),
    uploadUrlSeconds: from.integer('UPLOAD_URL_SECONDS', 3600, 1, MAX_URL_SECONDS),
    uploadGraceSeconds: from.integer('UPLOAD_GRACE_SECONDS', 86_400, 0, MAX_GRACE_SECONDS),
    dashboardOrigins: from.origins('DASHBOARD_ORIGINS'),
    dashboard: readDashboard(from),
    stripe: readStripe(from),
    rateLimits: {
      key: from.integer('RATE_LIMIT_KEY', 600, 1, MAX_RATE),
      account: from.integer('RATE_LIMIT_ACCOUNT', 600, 1, MAX_RATE),
      unauthenticated: from.integer('RATE_LIMIT_UNAUTHENTICATED', 60, 1, MAX_RATE),
    },
    maxPendingFiles: from.integer('MAX_PENDING_FILES', 100_000, 1, MAX_RATE),
    migrationMaxBytes: from.limit('MIGRATION_MAX_BYTES'),
    trustedProxies: from.integer('TRUST_PROXY_HOPS', 0, 0, 16),
  }));
}

function readDashboard(from: Reader): DashboardSettings | undefined {
  const settings = {
    clientId: from.optional('DASHBOARD_CLIENT_ID'),
    scope: from.text('DASHBOARD_SCOPE', 'openid'),
    audienceParameter: from.oneOf('DASHBOARD_AUDIENCE_PARAMETER', AUDIENCE_PARAMETERS, 'resource'),
  };
  if (!settings.scope.split(' ').includes('openid'))
    from.complain('DASHBOARD_SCOPE', 'must name openid, separated by spaces from other scopes');
  return from.oneOf('DASHBOARD', ['on', 'off'], 'on') === 'on' ? settings : undefined;
}

/** All variables or none: with some missing, a customer could pay without receiving the plan. */
function readStripe(from: Reader): StripeSettings | undefined {
  const apiUrl = from.url('STRIPE_API_URL');
  const [secretKey, webhookSecret, starter, growth] = from.together([
    'STRIPE_SECRET_KEY',
    'STRIPE_WEBHOOK_SECRET',
    'STRIPE_PRICE_STARTER',
    'STRIPE_PRICE_GROWTH',
  ]);
  if (!secretKey || !webhookSecret || !starter || !growth) return undefined;
  if (starter === growth)
    from.complain('STRIPE_PRICE_GROWTH', 'must be another price than STRIPE_PRICE_STARTER');
  return { secretKey, webhookSecret, prices: { starter, growth }, apiUrl };
}
