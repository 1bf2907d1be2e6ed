import { InMemoryWebStorage, UserManager, WebStorageStateStore } from 'oidc-client-ts';
import { BASE_PATH, type PageConfig } from './config.ts';

const CALLBACK_PATH = `${BASE_PATH}/callback`;

/** Tokens are in memory only; the state of a login on its way survives the redirect in the tab. */
export function createUserManager(config: PageConfig): UserManager {
  const { origin } = window.location;
  const { audience, audienceParameter } = config;
  return new UserManager({
    authority: config.issuer,
    client_id: config.clientId,
    scope: config.scope,
    redirect_uri: `${origin}${CALLBACK_PATH}`,
    post_logout_redirect_uri: `${origin}${BASE_PATH}`,
    userStore: new WebStorageStateStore({ store: new InMemoryWebStorage() }),
    stateStore: new WebStorageStateStore({ store: window.sessionStorage }),
    // The session renews its token itself, to distinguish an unreachable provider from an ended
    // session.
    automaticSilentRenew: false,
    ...(audienceParameter === 'resource' && { resource: audience }),
    ...(audienceParameter === 'audience' && { extraQueryParams: { audience } }),
  });
}

/** How the identity provider came back to this window. */
type Return = 'frame' | 'popup' | 'redirect';

/** Undefined if this is no return from the identity provider. */
export function readReturn({ pathname, search }: Location): Return | undefined {
  if (pathname !== CALLBACK_PATH) return undefined;
  if (window.parent !== window) return 'frame';
  // The tab that began a redirect has its state; a popup's opener has it.
  const state = new URLSearchParams(search).get('state') ?? '';
  const isOurs = window.sessionStorage.getItem(`oidc.${state}`) !== null;
  return !isOurs && window.opener !== null ? 'popup' : 'redirect';
}
