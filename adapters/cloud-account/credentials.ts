/** The credentials of an assumed role, until the session expires. */
export interface SessionCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
}

/** Provides the credentials of one customer's account. */
export interface CredentialSource {
  /** The current ones, or new ones where there are none or they are about to expire. */
  current(): Promise<SessionCredentials>;
  /**
   * Replaces refused credentials. Concurrent requests that were refused with the same credentials get
   * the same new ones.
   */
  renew(stale: SessionCredentials): Promise<SessionCredentials>;
}
