import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { openRecords } from '../../../adapters/mongo/records.ts';
import { EXAMPLES } from '../../../api/routes.ts';
import type { Route, RouteAuth } from '../../../api/http/route.ts';
import { describeApi } from '../../contract/described-api.ts';
import type { CloudCustomer } from '../../harness/cloud-customer.ts';
import { call, openDatabase, type Answer } from '../../harness/customer.ts';
import { insertApproved, openStored } from '../../harness/stored-approval.ts';
import { insertMove } from '../../harness/stored-recommendation.ts';
import { localServers, localService } from '../../servers.ts';
import { newCloudCustomer } from '../customers.ts';

/** The service's own table of routes: a route that is added is attacked without a new test. */
export const ROUTES: readonly Route[] = describeApi();

export const nameOf = ({ method, path }: Route): string => `${method} ${path}`;

/** An account with an API key. */
export interface Attacker {
  readonly accountId: string;
  readonly token: string;
  readonly apiKey: string;
  readonly cloud: CloudCustomer;
  /** Calls a route with the credential of its kind. */
  attack(route: Route, ids?: Ids, body?: unknown): Promise<Answer>;
}

/** Values of the path's and the body's ids, by name. */
export type Ids = Readonly<Record<string, string>>;

/** An account that has at least one resource of every kind that a route names. */
export interface Victim extends Attacker {
  readonly resources: Readonly<Record<string, readonly string[]>>;
}

export async function createAttacker(): Promise<Attacker> {
  const { baseUrl } = await localService();
  const cloud = await newCloudCustomer('r2');
  const { accountId, token } = cloud;
  const { apiKey } = await cloud.client.apiKey.regenerate();
  const bearerOf = (auth: RouteAuth) =>
    auth === 'none' ? {} : { bearer: auth === 'apiKey' ? apiKey : token };
  return {
    accountId,
    token,
    apiKey,
    cloud,
    attack: (route, ids = {}, body = bodyOf(route, ids)) =>
      call(baseUrl, `${route.method} ${addressOf(route, ids)}`, {
        ...bearerOf(route.auth),
        ...(body === undefined ? {} : { body }),
      }),
  };
}

/** Ids that are not given are those of nothing. */
export function addressOf({ path }: Route, ids: Ids): string {
  return path
    .replace('{provider}', 'b2')
    .replaceAll(/\{(\w+)\}/g, (_match, name: string) => ids[name] ?? randomUUID());
}

/** The body of the route's example, with these ids. */
export function bodyOf(route: Route, ids: Ids = {}): object | undefined {
  if (!route.body) return undefined;
  const { body = {} } = EXAMPLES[nameOf(route)] ?? { replies: {} };
  const given = Object.keys(body).map((name) => [name, ids[name]] as const);
  return { ...body, ...Object.fromEntries(given.filter(([, id]) => id !== undefined)) };
}

/** The ids that a route takes in its path or its body. */
export function idsOf(route: Route): string[] {
  const inPath = [...route.path.matchAll(/\{(\w+Id)\}/g)].map(([, name = '']) => name);
  const schema: { properties?: object } | undefined = route.body;
  const inBody = Object.keys(schema?.properties ?? {}).filter(
    // The account id of a store and the external id of a role are no ids of this service.
    (name) => /^(?!account|external|accessKey)\w+Id$/.test(name),
  );
  return route.signed ? inPath : [...new Set([...inPath, ...inBody])];
}

export async function createVictim(): Promise<Victim> {
  const owner = await createAttacker();
  const { stack } = await localServers();
  const { baseUrl } = await localService();
  const asKey = (route: string, body?: unknown) =>
    call(baseUrl, route, { bearer: owner.apiKey, body });
  const init = async (more: object = {}) => {
    const file = { fileName: 'secret-plan.pdf', contentType: 'text/plain', fileSizeBytes: 8 };
    const { status, body, text } = await asKey('POST /v1/upload/init', { ...file, ...more });
    assert.equal(status, 201, text);
    return body as { fileId: string; presignedUrl: string; requiredHeaders: Ids };
  };
  const [pending, active, deleted, expired, inParts] = await Promise.all([
    init(),
    init(),
    init(),
    init(),
    init({ multipart: true }),
  ]);
  const { presignedUrl, requiredHeaders: headers } = active;
  assert.equal(
    (await fetch(presignedUrl, { method: 'PUT', headers, body: '12345678' })).status,
    200,
  );
  assert.equal((await asKey('POST /v1/upload/complete', { fileId: active.fileId })).status, 200);
  assert.equal((await asKey(`DELETE /v1/file/${deleted.fileId}`)).status, 200);
  const { db, close } = await openDatabase(stack);
  const files = db.collection<{ _id: string }>('files');
  await files.updateOne({ _id: expired.fileId }, { $set: { status: 'expired' } });
  await close();
  const resources = {
    fileId: [pending, active, deleted, expired, inParts].map(({ fileId }) => fileId),
    ...(await storeAudit(owner)),
  };
  return { ...owner, resources };
}

/** A connection, a scan, a recommendation that is open, and one whose migration is planned. */
async function storeAudit({ accountId, cloud }: Attacker): Promise<Record<string, string[]>> {
  const { environment } = (await localServers()).stack;
  const records = openRecords({
    uri: environment['MONGODB_URI'] ?? '',
    database: environment['MONGODB_DATABASE'] ?? '',
  });
  const move = { accountId, bucket: 'secret-bucket', region: 'us-east-1', objects: 1, bytes: 1 };
  const open = await insertMove(records, move);
  const { recommendationId: approved, migrationId } = await insertApproved(records, move);
  const connectionId = await cloud.connect();
  const found = await records.recommendations.find({ recommendationId: approved, accountId });
  assert.ok(found);
  await openStored(records, { migrationId, accountId });
  await records.close();
  return {
    connectionId: [connectionId],
    scanId: [found.scanId],
    recommendationId: [open, approved],
    migrationId: [migrationId],
  };
}
