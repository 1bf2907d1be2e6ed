import type { PriceBook } from '../../domain/pricing/price-book.ts';
import { randomBytes } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import { AppError } from '../../domain/common/errors.ts';
import { discoverIssuer } from '../../adapters/identity/discovery.ts';
import type { IdentitySettings } from '../../adapters/identity/token-verifier.ts';
import type { EndpointOverrides } from '../../adapters/object-store/address.ts';
import type { DashboardSettings } from '../../config/api.ts';
import { requireReading } from '../http/answers.ts';
import { readPageBuild, type Asset, type PageBuild } from './build.ts';
import { issuerOrigins, storeOrigins, buildPolicy } from './policy.ts';

const BASE = '/dashboard';
const ASSETS = `${BASE}/assets/`;
const CONFIG = `${BASE}/config.json`;
/** Names are hashed over the content. */
const FOR_EVER = 'public, max-age=31536000, immutable';
/** In the built page; `dashboard/vite.config.ts` writes it. */
const NONCE = /__CSP_NONCE__/g;

const NO_BUILD =
  'The dashboard is not built. Run <code>npm run build</code>, then load this page again.';
const NO_CLIENT =
  'The dashboard has no client at the identity provider: set <code>DASHBOARD_CLIENT_ID</code> (docs/configuration.md).';

export interface PageDeps {
  readonly settings: DashboardSettings;
  readonly identity: Pick<IdentitySettings, 'issuer' | 'audience'>;
  readonly priceBook: Pick<PriceBook, 'catalogue' | 'regions'>;
  readonly endpoints: EndpointOverrides;
  readonly hasBilling: boolean;
  /** Holds what `npm run build` made. */
  readonly folder: URL;
}

/** Serves the page, its files and its configuration. A path never reaches the file system. */
export function createPage(deps: PageDeps): Middleware {
  const readBuild = createBuildReader(deps.folder);
  const findPolicy = createPolicyReader(deps);
  return async (ctx, next) => {
    if (ctx.path !== BASE && !ctx.path.startsWith(`${BASE}/`)) return next();
    ctx.state['route'] = pageRoute(ctx.path);
    requireReading(ctx);
    if (ctx.path === CONFIG) {
      ctx.type = 'application/json; charset=utf-8';
      ctx.body = JSON.stringify(presentConfig(deps));
      return;
    }
    const build = await readBuild();
    if (ctx.path.startsWith(ASSETS)) {
      const asset = build?.assets.get(ctx.path.slice(ASSETS.length));
      if (!asset) throw new AppError('not_found');
      return sendAsset(ctx, asset);
    }
    if (!build) return sendNotice(ctx, NO_BUILD);
    if (deps.settings.clientId === undefined) return sendNotice(ctx, NO_CLIENT);
    const nonce = randomBytes(16).toString('base64');
    ctx.set('Content-Security-Policy', await findPolicy(nonce));
    ctx.type = 'text/html; charset=utf-8';
    ctx.body = build.html.replaceAll(NONCE, nonce);
  };
}

/** The configuration that the page needs before a login. Nothing in it is secret. */
function presentConfig({ settings, identity, hasBilling }: PageDeps) {
  return {
    issuer: identity.issuer,
    clientId: settings.clientId ?? null,
    scope: settings.scope,
    audience: identity.audience,
    audienceParameter: settings.audienceParameter,
    billing: hasBilling,
  };
}

/** Reads once. A missing build is looked for again, because it may be made while the API runs. */
function createBuildReader(folder: URL): () => Promise<PageBuild | undefined> {
  let reading: Promise<PageBuild | undefined> | undefined;
  return async () => {
    reading ??= readPageBuild(folder);
    try {
      const build = await reading;
      if (!build) reading = undefined;
      return build;
    } catch (error) {
      reading = undefined;
      throw error;
    }
  };
}

/** An issuer's endpoints are read once. Until it answers, only its own origin is allowed. */
function createPolicyReader({ identity, priceBook, endpoints }: PageDeps) {
  const { issuer } = identity;
  const stores = storeOrigins(priceBook, endpoints);
  let origins: ReturnType<typeof issuerOrigins> | undefined;
  let fetching: Promise<void> | undefined;
  return async (nonce: string): Promise<string> => {
    if (!origins) {
      fetching ??= discoverIssuer(issuer)
        .then(
          (document) => void (origins = issuerOrigins(issuer, document)),
          () => {},
        )
        .finally(() => (fetching = undefined));
      await fetching;
    }
    return buildPolicy(origins ?? issuerOrigins(issuer, undefined), stores, nonce);
  };
}

function sendAsset(ctx: Context, { type, bytes, encoded }: Asset): void {
  const chosen = encoded.find(({ encoding }) => ctx.acceptsEncodings(encoding) === encoding);
  ctx.vary('Accept-Encoding');
  if (chosen) ctx.set('Content-Encoding', chosen.encoding);
  ctx.set('Cache-Control', FOR_EVER);
  ctx.type = type;
  ctx.body = chosen?.bytes ?? bytes;
}

function sendNotice(ctx: Context, text: string): void {
  ctx.status = 503;
  ctx.type = 'text/html; charset=utf-8';
  ctx.body = `<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>Storage Routing</title></head>\n<body><h1>Storage Routing</h1><p>${text}</p></body>\n</html>\n`;
}

/** A label of a metric: one of few. */
function pageRoute(path: string): string {
  if (path === CONFIG) return CONFIG;
  return path.startsWith(ASSETS) ? `${ASSETS}*` : BASE;
}
