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

export class Session {
  readonly #manager: UserManager;
  readonly #listeners = new Set<() => void>();
  #state: SessionState = { status: 'starting', user: undefined, problem: undefined };
  #user: User | undefined;
  #renewal: Promise<void> | undefined;

  constructor(manager: UserManager) {
    this.#manager = manager;
    manager.events.addAccessTokenExpiring(this.#keepFresh);
    manager.events.addAccessTokenExpired(this.#keepFresh);
  }

  // Arrow functions where React or the manager calls them without the object.
  getState = (): SessionState => this.#state;

  /** @returns a function that ends the subscription */
  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Logs in without a dialog if the identity provider knows the user. */
  async start(): Promise<void> {
    await this.#renew().catch(() => this.#change({ status: 'anonymous' }));
  }

  /** Ends a login by redirect. @returns the path that the login began at */
  async finish(): Promise<string> {
    try {
      const loaded = await this.#manager.signinRedirectCallback();
      this.#accept(loaded);
      const path = loaded.state;
      return typeof path === 'string' && isOwnPath(path) ? path : BASE_PATH;
    } catch (error) {
      this.#change({ status: 'anonymous', problem: errorMessage(error) });
      return BASE_PATH;
    }
  }

  /** Leaves the page for the identity provider, which leads back to this path. */
  async logIn(returnTo: string): Promise<void> {
    this.#change({ problem: undefined });
    await this.#manager.signinRedirect({ state: returnTo }).catch(this.#showProblem);
  }

  /** Leaves the page as it is. */
  async logInByPopup(): Promise<void> {
    this.#change({ problem: undefined });
    await this.#manager.signinPopup().then(this.#accept, this.#showProblem);
  }

  async logOut(): Promise<void> {
    await this.#manager.signoutRedirect().catch(async () => {
      // The provider has no page for it.
      await this.#manager.removeUser();
      this.#user = undefined;
      this.#change({ status: 'anonymous', user: undefined });
    });
  }

  /** A token that has not expired. Waits for a renewal, and while the user logs in again. */
  async token(): Promise<string> {
    for (;;) {
      if (this.#state.status === 'active') {
        if (this.#user?.expired === false) return this.#user.access_token;
        await this.#renew().catch(() => this.#change({ status: 'ended' }));
      } else await this.#untilActive();
    }
  }

  /** The API refuses this token: it is renewed, or the session ends. */
  refuse(token: string): void {
    if (this.#state.status !== 'active' || this.#user?.access_token !== token) return;
    this.#user.expires_at = 0;
    this.#keepFresh();
  }

  #change(next: Partial<SessionState>): void {
    this.#state = { ...this.#state, ...next };
    for (const listener of this.#listeners) listener();
  }

  #showProblem = (error: unknown): void => this.#change({ problem: errorMessage(error) });

  #accept = (loaded: User): void => {
    const { sub: subject, name } = loaded.profile;
    const previous = this.#state.user;
    if (previous && previous.subject !== subject) {
      // What is on the page, and every call that waits, belongs to the previous account.
      window.location.assign(BASE_PATH);
      return;
    }
    this.#user = loaded;
    this.#change({
      status: 'active',
      user: { name: name ?? subject, subject },
      problem: undefined,
    });
  };

  async #renew(): Promise<void> {
    this.#renewal ??= this.#manager
      .signinSilent()
      .then((loaded) => {
        if (!loaded) throw new Error('the identity provider returned no user');
        this.#accept(loaded);
      })
      .finally(() => (this.#renewal = undefined));
    await this.#renewal;
  }

  #keepFresh = (): void => {
    if (this.#state.status !== 'active') return;
    this.#renew().catch(() => {
      if (this.#user?.expired !== false) this.#change({ status: 'ended' });
      else setTimeout(this.#keepFresh, RENEW_AGAIN_MS);
    });
  };

  async #untilActive(): Promise<void> {
    await new Promise<void>((resolve) => {
      const stop = this.subscribe(() => {
        if (this.#state.status !== 'active') return;
        stop();
        resolve();
      });
    });
  }
}

/** A path from outside would lead to another page. */
function isOwnPath(path: string): boolean {
  return path === BASE_PATH || path.startsWith(`${BASE_PATH}/`);
}

function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
