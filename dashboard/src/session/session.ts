import type { User, UserManager } from 'oidc-client-ts';
import { BASE_PATH } from './config.ts';

/** The time between two attempts to renew a token that still works. */
const RENEW_AGAIN_MS = 5_000;

/**
 * - `starting`: the identity provider is asked whether the user is logged in.
 * - `anonymous`: no user is logged in.
 * - `active`: there is a token, or a renewal is under way.
 * - `ended`: the token has expired and could not be renewed; the page stays as it is.
 */
export type SessionStatus = 'starting' | 'anonymous' | 'active' | 'ended';

export interface SessionState {
  readonly status: SessionStatus;
  /** Undefined before the first login. */
  readonly user: { readonly name: string; readonly subject: string } | undefined;
  /** Why the last login failed. */
  readonly problem: string | undefined;
}

export interface Session {
  getState(): SessionState;
  /** @returns a function that ends the subscription */
  subscribe(listener: () => void): () => void;
  /** Logs in without a dialog if the identity provider knows the user. */
  start(): Promise<void>;
  /** Ends a login by redirect. @returns the path that the login began at */
  finish(): Promise<string>;
  /** Leaves the page for the identity provider, which leads back to this path. */
  logIn(returnTo: string): Promise<void>;
  /** Leaves the page as it is. */
  logInByPopup(): Promise<void>;
  logOut(): Promise<void>;
  /** A token that has not expired. Waits for a renewal, and while the user logs in again. */
  token(): Promise<string>;
  /** The API refuses this token: it is renewed, or the session ends. */
  refuse(token: string): void;
}

export function createSession(manager: UserManager): Session {
  const listeners = new Set<() => void>();
  let state: SessionState = { status: 'starting', user: undefined, problem: undefined };
  let user: User | undefined;
  let renewal: Promise<void> | undefined;

  const change = (next: Partial<SessionState>): void => {
    state = { ...state, ...next };
    for (const listener of listeners) listener();
  };
  const accept = (loaded: User): void => {
    const { sub: subject, name } = loaded.profile;
    const before = state.user;
    if (before && before.subject !== subject) {
      // What is on the page, and every call that waits, belongs to the account before.
      window.location.assign(BASE_PATH);
      return;
    }
    user = loaded;
    change({ status: 'active', user: { name: name ?? subject, subject }, problem: undefined });
  };
  const renew = async (): Promise<void> => {
    renewal ??= manager
      .signinSilent()
      .then((loaded) => {
        if (!loaded) throw new Error('the identity provider returned no user');
        accept(loaded);
      })
      .finally(() => (renewal = undefined));
    await renewal;
  };
  const keepFresh = (): void => {
    if (state.status !== 'active') return;
    renew().catch(() => {
      if (user?.expired !== false) change({ status: 'ended' });
      else setTimeout(keepFresh, RENEW_AGAIN_MS);
    });
  };
  manager.events.addAccessTokenExpiring(keepFresh);
  manager.events.addAccessTokenExpired(keepFresh);

  const untilActive = async (): Promise<void> =>
    await new Promise((resolve) => {
      const stop = subscribe(() => {
        if (state.status !== 'active') return;
        stop();
        resolve();
      });
    });
  const subscribe = (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };

  return {
    getState: () => state,
    subscribe,
    async start() {
      await renew().catch(() => change({ status: 'anonymous' }));
    },
    async finish() {
      try {
        const loaded = await manager.signinRedirectCallback();
        accept(loaded);
        const path = loaded.state;
        return typeof path === 'string' && isOwnPath(path) ? path : BASE_PATH;
      } catch (error) {
        change({ status: 'anonymous', problem: errorMessage(error) });
        return BASE_PATH;
      }
    },
    async logIn(returnTo) {
      change({ problem: undefined });
      await manager
        .signinRedirect({ state: returnTo })
        .catch((error: unknown) => change({ problem: errorMessage(error) }));
    },
    async logInByPopup() {
      change({ problem: undefined });
      await manager
        .signinPopup()
        .then(accept, (error: unknown) => change({ problem: errorMessage(error) }));
    },
    async logOut() {
      await manager.signoutRedirect().catch(async () => {
        // The provider has no page for it.
        await manager.removeUser();
        user = undefined;
        change({ status: 'anonymous', user: undefined });
      });
    },
    async token() {
      for (;;) {
        if (state.status === 'active') {
          if (user?.expired === false) return user.access_token;
          await renew().catch(() => change({ status: 'ended' }));
        } else await untilActive();
      }
    },
    refuse(token) {
      if (state.status !== 'active' || user?.access_token !== token) return;
      user.expires_at = 0;
      keepFresh();
    },
  };
}

/** A path from outside would lead to another page. */
function isOwnPath(path: string): boolean {
  return path === BASE_PATH || path.startsWith(`${BASE_PATH}/`);
}

function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
