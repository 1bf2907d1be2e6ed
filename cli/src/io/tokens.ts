/** What renews a dashboard token. */
export interface Renewal {
  issuer: string;
  clientId: string;
  refreshToken: string;
  /** When the dashboard token expires, RFC 3339. */
  expiresAt: string;
  /** The resource that the token is for (RFC 8707). */
  resource?: string;
}

/** Tokens of a login. */
export interface Tokens {
  dashboardToken: string;
  /** Undefined if the identity provider gives no refresh token. */
  renewal: Renewal | undefined;
}

/** What the user has to enter, and where. */
export interface DeviceCode {
  userCode: string;
  verificationUri: string;
  /** The same with the code in it. */
  completeUri: string | undefined;
  /** Waits until the person has agreed or refused, or the code has expired. */
  wait(signal: AbortSignal): Promise<Tokens | 'refused' | 'expired'>;
}

/** The identity provider of a service, for a login by the device authorization flow (RFC 8628). */
export interface Identity {
  /** Requests a code. Undefined if the identity provider has no device flow. */
  begin(baseUrl: string): Promise<DeviceCode | undefined>;
  /** New tokens for a refresh token. */
  renew(renewal: Renewal): Promise<Tokens>;
  /** Ends a refresh token, if the identity provider can. */
  revoke(renewal: Renewal): Promise<void>;
}
