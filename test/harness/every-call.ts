import type { Answer, Customer } from './customer.ts';

const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';
const MOVE = `/v1/scanner/recommendations/${UNKNOWN_ID}`;
const ROLE_ARN = 'arn:aws:iam::111122223333:role/unknown';
const ROLE = { roleArn: ROLE_ARN, externalId: 'secret', regions: ['us-east-1'] };
const PLACE = { provider: 'b2', bucketName: 'bucket', region: 'us-west-004' };
const SAVED = { ...PLACE, accessKeyId: 'id', secretAccessKey: 'secret' };

/** One call of every endpoint with authentication. */
export function everyCall(
  customer: Customer,
  fileId: string,
): [name: string, ask: () => Promise<Answer>][] {
  return [
    ['init', () => customer.announce()],
    ['complete', () => customer.complete(fileId)],
    ['url', () => customer.call('POST /v1/upload/url', { fileId })],
    ['parts', () => customer.call('POST /v1/upload/parts', { fileId, partNumbers: [1] })],
    ['part list', () => customer.call(`GET /v1/upload/parts/${fileId}`)],
    ['get', () => customer.get(fileId)],
    ['delete', () => customer.delete(fileId)],
    ['me', () => customer.call('GET /v1/me')],
    ['providers', () => customer.manage('GET /v1/providers')],
    ['catalogue', () => customer.manage('GET /v1/providers/catalogue')],
    ['save', () => customer.manage('POST /v1/providers', SAVED)],
    ['forget', () => customer.manage('DELETE /v1/providers/b2')],
    ['test', () => customer.manage('POST /v1/providers/test', { provider: 'r2' })],
    ['key', () => customer.manage('GET /v1/providers/api-key')],
    ['regenerate', () => customer.manage('POST /v1/providers/api-key/regenerate')],
    ['rotate', () => customer.manage('POST /v1/keys/rotate')],
    ['identity', () => customer.manage('GET /v1/scanner/service-identity')],
    ['connect', () => customer.manage('POST /v1/scanner/connect', ROLE)],
    ['connections', () => customer.manage('GET /v1/scanner/connections')],
    ['disconnect', () => customer.manage(`DELETE /v1/scanner/connections/${UNKNOWN_ID}`)],
    ['scan', () => customer.manage('POST /v1/scanner/scan', { connectionId: UNKNOWN_ID })],
    ['results', () => customer.manage(`GET /v1/scanner/results/${UNKNOWN_ID}`)],
    ['progress', () => customer.manage(`GET /v1/scanner/results/${UNKNOWN_ID}/progress`)],
    ['report', () => customer.manage(`GET /v1/scanner/results/${UNKNOWN_ID}/report`)],
    ['history', () => customer.manage('GET /v1/scanner/history')],
    ['summary', () => customer.manage('GET /v1/analytics/summary')],
    ['monthly', () => customer.manage('GET /v1/analytics/monthly')],
    ['routings', () => customer.manage('GET /v1/analytics/routing-history?limit=50')],
    ['routing', () => customer.manage(`GET /v1/analytics/routing-history/${UNKNOWN_ID}`)],
    ['person', () => customer.manage('GET /v1/account/person')],
    ['activity', () => customer.manage('GET /v1/account/activity')],
    ['account', () => customer.manage('GET /v1/account')],
    ['recommendations', () => customer.manage('GET /v1/scanner/recommendations')],
    ['recommendation', () => customer.manage(`GET ${MOVE}`)],
    ['example key', () => customer.manage(`GET ${MOVE}/example-key`)],
    ['dismiss', () => customer.manage(`POST ${MOVE}/dismiss`, { days: 30, reason: 'later' })],
    ['restore', () => customer.manage(`DELETE ${MOVE}/dismiss`)],
    ['approve', () => customer.manage(`POST ${MOVE}/approve`, { targetProvider: 'r2' })],
    ['migrations', () => customer.manage('GET /v1/scanner/migrations')],
    ['migration', () => customer.manage(`GET /v1/scanner/migration/${UNKNOWN_ID}`)],
    ['migration report', () => customer.manage(`GET /v1/scanner/migration/${UNKNOWN_ID}/report`)],
    ['cancel', () => customer.manage(`POST /v1/scanner/migration/${UNKNOWN_ID}/cancel`)],
    ['subscription', () => customer.manage('GET /v1/billing/subscription')],
    ['checkout', () => customer.manage('POST /v1/billing/checkout', { plan: 'starter' })],
    ['portal', () => customer.manage('POST /v1/billing/portal')],
  ];
}
