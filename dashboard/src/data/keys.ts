/** The names of what the page keeps, so that a change can fetch it again. */
export const KEYS = {
  account: ['account'],
  apiKey: ['api-key'],
  config: ['config'],
  subscription: ['subscription'],
  analytics: ['analytics'],
  providers: ['providers'],
  catalogue: ['catalogue'],
  serviceIdentity: ['service-identity'],
  connections: ['connections'],
  scans: ['scans'],
  scan: ['scan'],
  recommendations: ['recommendations'],
  recommendation: ['recommendation'],
  migrations: ['migrations'],
  migration: ['migration'],
} as const;
