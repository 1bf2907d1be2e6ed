/** The endpoints of the contract, listed independently of the code: the per-endpoint suites run over this list. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly auth: 'none' | 'apiKey' | 'dashboard';
  /** `empty` accepts an empty object or no body; `signed` accepts a body with its own signature. */
  readonly body: 'none' | 'required' | 'empty' | 'signed';
}

/** Method, path, credentials and body. */
const TABLE = `
  GET    /health                                               none      none
  GET    /ready                                                none      none
  GET    /openapi.json                                         none      none
  GET    /docs                                                 none      none
  GET    /v1/me                                                apiKey    none
  GET    /v1/account                                           dashboard none
  POST   /v1/upload/init                                       apiKey    required
  POST   /v1/upload/complete                                   apiKey    required
  POST   /v1/upload/url                                        apiKey    required
  POST   /v1/upload/parts                                      apiKey    required
  GET    /v1/upload/parts/{fileId}                             apiKey    none
  GET    /v1/file/{fileId}                                     apiKey    none
  DELETE /v1/file/{fileId}                                     apiKey    none
  POST   /v1/providers                                         dashboard required
  GET    /v1/providers                                         dashboard none
  GET    /v1/providers/catalogue                               dashboard none
  DELETE /v1/providers/{provider}                              dashboard none
  POST   /v1/providers/test                                    dashboard required
  GET    /v1/providers/api-key                                 dashboard none
  POST   /v1/providers/api-key/regenerate                      dashboard empty
  POST   /v1/keys/rotate                                       dashboard empty
  GET    /v1/scanner/service-identity                          dashboard none
  POST   /v1/scanner/connect                                   dashboard required
  GET    /v1/scanner/connections                               dashboard none
  DELETE /v1/scanner/connections/{connectionId}                dashboard none
  PUT    /v1/scanner/connections/{connectionId}/schedule       dashboard required
  DELETE /v1/scanner/connections/{connectionId}/schedule       dashboard none
  POST   /v1/scanner/scan                                      dashboard required
  GET    /v1/scanner/results/{scanId}                          dashboard none
  GET    /v1/scanner/results/{scanId}/progress                 dashboard none
  GET    /v1/scanner/results/{scanId}/report                   dashboard none
  GET    /v1/scanner/results/{scanId}/changes                  dashboard none
  GET    /v1/analytics/summary                                 dashboard none
  GET    /v1/analytics/monthly                                 dashboard none
  GET    /v1/analytics/routing-history                         dashboard none
  GET    /v1/analytics/routing-history/{fileId}                dashboard none
  GET    /v1/scanner/recommendations                           dashboard none
  GET    /v1/scanner/recommendations/{recommendationId}        dashboard none
  POST   /v1/scanner/recommendations/{recommendationId}/approve dashboard required
  GET    /v1/scanner/migrations                                dashboard none
  GET    /v1/account/person                                    dashboard none
  GET    /v1/account/activity                                  dashboard none
  GET    /v1/scanner/recommendations/{recommendationId}/example-key dashboard none
  POST   /v1/scanner/recommendations/{recommendationId}/dismiss dashboard required
  DELETE /v1/scanner/recommendations/{recommendationId}/dismiss dashboard none
  GET    /v1/scanner/history                                   dashboard none
  POST   /v1/webhooks                                          dashboard required
  GET    /v1/webhooks                                          dashboard none
  DELETE /v1/webhooks/{webhookId}                              dashboard none
  GET    /v1/webhooks/{webhookId}/deliveries                   dashboard none
  POST   /v1/webhooks/{webhookId}/test                         dashboard empty
  POST   /v1/webhooks/{webhookId}/rotate                       dashboard empty
  POST   /v1/webhooks/{webhookId}/enable                       dashboard empty
  GET    /v1/scanner/migration/{migrationId}                   dashboard none
  GET    /v1/scanner/migration/{migrationId}/report            dashboard none
  POST   /v1/scanner/migration/{migrationId}/rounds            dashboard required
  POST   /v1/scanner/migration/{migrationId}/release           dashboard empty
  GET    /v1/scanner/migration/{migrationId}/release           dashboard none
  GET    /v1/scanner/migration/{migrationId}/release/objects   dashboard none
  POST   /v1/scanner/migration/{migrationId}/cancel            dashboard empty
  POST   /v1/relocations                                       dashboard required
  GET    /v1/relocations                                       dashboard none
  GET    /v1/relocations/{relocationId}                        dashboard none
  POST   /v1/relocations/{relocationId}/cancel                 dashboard empty
  GET    /v1/relocations/{relocationId}/report                 dashboard none
  POST   /v1/drills                                            dashboard required
  GET    /v1/drills                                            dashboard none
  PUT    /v1/drills/schedule                                   dashboard required
  GET    /v1/drills/schedule                                   dashboard none
  DELETE /v1/drills/schedule                                   dashboard none
  GET    /v1/drills/{drillId}                                  dashboard none
  POST   /v1/drills/{drillId}/cancel                           dashboard empty
  GET    /v1/drills/{drillId}/certificate                      dashboard none
  GET    /v1/billing/subscription                              dashboard none
  POST   /v1/billing/checkout                                  dashboard required
  POST   /v1/billing/portal                                    dashboard empty
  POST   /v1/billing/webhook                                   none      signed
`;

export const ENDPOINTS: readonly Endpoint[] = TABLE.trim()
  .split('\n')
  .map((line) => {
    const [method, path, auth, body] = line.trim().split(/\s+/);
    return { method, path, auth, body } as Endpoint;
  });

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
