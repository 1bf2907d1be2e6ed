/** What an assumed role signs with until it expires. */
export interface SessionCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
}

/** Where the credentials of one customer's account come from. */
export interface CredentialSource {
  /** Those in use, or new ones where there are none yet or these are about to expire. */
  current(): Promise<SessionCredentials>;
  /**
   * Others in place of credentials that were refused. Many requests may be refused with the same
   * ones at once: they get the same new ones.
   */
  renew(stale: SessionCredentials): Promise<SessionCredentials>;
}
