/** The endpoints of the contract, listed independently of the code: the per-endpoint suites run over this list. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly auth: 'none' | 'apiKey' | 'dashboard';
  /** `empty` accepts an empty object or no body; `signed` accepts a body with its own signature. */
  readonly body: 'none' | 'required' | 'empty' | 'signed';
}

export const ENDPOINTS: readonly Endpoint[] = [
  { method: 'GET', path: '/health', auth: 'none', body: 'none' },
  { method: 'GET', path: '/ready', auth: 'none', body: 'none' },
  { method: 'GET', path: '/openapi.json', auth: 'none', body: 'none' },
  { method: 'GET', path: '/docs', auth: 'none', body: 'none' },
  { method: 'GET', path: '/v1/me', auth: 'apiKey', body: 'none' },
  { method: 'GET', path: '/v1/account', auth: 'dashboard', body: 'none' },
  { method: 'POST', path: '/v1/upload/init', auth: 'apiKey', body: 'required' },
  { method: 'POST', path: '/v1/upload/complete', auth: 'apiKey', body: 'required' },
  { method: 'POST', path: '/v1/upload/url', auth: 'apiKey', body: 'required' },
  { method: 'POST', path: '/v1/upload/parts', auth: 'apiKey', body: 'required' },
  { method: 'GET', path: '/v1/upload/parts/{fileId}', auth: 'apiKey', body: 'none' },
  { method: 'GET', path: '/v1/file/{fileId}', auth: 'apiKey', body: 'none' },
  { method: 'DELETE', path: '/v1/file/{fileId}', auth: 'apiKey', body: 'none' },
  { method: 'POST', path: '/v1/providers', auth: 'dashboard', body: 'required' },
  { method: 'GET', path: '/v1/providers', auth: 'dashboard', body: 'none' },
  { method: 'GET', path: '/v1/providers/catalogue', auth: 'dashboard', body: 'none' },
  { method: 'DELETE', path: '/v1/providers/{provider}', auth: 'dashboard', body: 'none' },
  { method: 'POST', path: '/v1/providers/test', auth: 'dashboard', body: 'required' },
  { method: 'GET', path: '/v1/providers/api-key', auth: 'dashboard', body: 'none' },
  { method: 'POST', path: '/v1/providers/api-key/regenerate', auth: 'dashboard', body: 'empty' },
  { method: 'POST', path: '/v1/keys/rotate', auth: 'dashboard', body: 'empty' },
  { method: 'GET', path: '/v1/scanner/service-identity', auth: 'dashboard', body: 'none' },
  { method: 'POST', path: '/v1/scanner/connect', auth: 'dashboard', body: 'required' },
  { method: 'GET', path: '/v1/scanner/connections', auth: 'dashboard', body: 'none' },
  {
    method: 'DELETE',
    path: '/v1/scanner/connections/{connectionId}',
    auth: 'dashboard',
    body: 'none',
  },
  { method: 'POST', path: '/v1/scanner/scan', auth: 'dashboard', body: 'required' },
  { method: 'GET', path: '/v1/scanner/results/{scanId}', auth: 'dashboard', body: 'none' },
  { method: 'GET', path: '/v1/scanner/results/{scanId}/progress', auth: 'dashboard', body: 'none' },
  { method: 'GET', path: '/v1/scanner/results/{scanId}/report', auth: 'dashboard', body: 'none' },
  { method: 'GET', path: '/v1/analytics/summary', auth: 'dashboard', body: 'none' },
  { method: 'GET', path: '/v1/analytics/monthly', auth: 'dashboard', body: 'none' },
  { method: 'GET', path: '/v1/analytics/routing-history', auth: 'dashboard', body: 'none' },
  {
    method: 'GET',
    path: '/v1/analytics/routing-history/{fileId}',
    auth: 'dashboard',
    body: 'none',
  },
  { method: 'GET', path: '/v1/scanner/recommendations', auth: 'dashboard', body: 'none' },
  {
    method: 'GET',
    path: '/v1/scanner/recommendations/{recommendationId}',
    auth: 'dashboard',
    body: 'none',
  },
  { method: 'GET', path: '/v1/scanner/migrations', auth: 'dashboard', body: 'none' },
  { method: 'GET', path: '/v1/scanner/history', auth: 'dashboard', body: 'none' },
  {
    method: 'POST',
    path: '/v1/scanner/recommendations/{recommendationId}/approve',
    auth: 'dashboard',
    body: 'required',
  },
  { method: 'GET', path: '/v1/scanner/migration/{migrationId}', auth: 'dashboard', body: 'none' },
  {
    method: 'GET',
    path: '/v1/scanner/migration/{migrationId}/report',
    auth: 'dashboard',
    body: 'none',
  },
  {
    method: 'POST',
    path: '/v1/scanner/migration/{migrationId}/cancel',
    auth: 'dashboard',
    body: 'empty',
  },
  { method: 'GET', path: '/v1/billing/subscription', auth: 'dashboard', body: 'none' },
  { method: 'POST', path: '/v1/billing/checkout', auth: 'dashboard', body: 'required' },
  { method: 'POST', path: '/v1/billing/portal', auth: 'dashboard', body: 'empty' },
  { method: 'POST', path: '/v1/billing/webhook', auth: 'none', body: 'signed' },
];

/** A well-formed URL of the endpoint, for a resource that does not exist. */
export function addressOf({ path }: Endpoint): string {
  return path.replace('{provider}', 'b2').replaceAll(/\{\w+Id\}/g, () => crypto.randomUUID());
}

export function nameOf({ method, path }: Endpoint): string {
  return `${method} ${path}`;
}

/** The methods of a path, GET with its HEAD; `/v1/providers/test` also matches `{provider}`. */
export function methodsOf(path: string): string[] {
  // A path of its own is not also the parameter of another one.
  const own = ENDPOINTS.filter((endpoint) => endpoint.path === path);
  const all = own.length > 0 ? own : ENDPOINTS.filter((each) => patternOf(each).test(path));
  return all.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : method));
}

function patternOf({ path }: Endpoint): RegExp {
  return new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}
