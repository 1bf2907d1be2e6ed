import { activityOf } from '../../harness/actor.ts';
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { exampleOf } from '../../../api/http/examples.ts';
import { NO_USE, type DrillRecord } from '../../../domain/drills/drill.ts';
import { NO_QUOTE } from '../../../domain/relocations/estimate.ts';
import type { RelocationRecord } from '../../../domain/relocations/relocation.ts';
import type { Route, RouteAuth } from '../../../api/http/route.ts';
import { describeApi } from '../../contract/described-api.ts';
import { call, openDatabase } from '../../harness/customer.ts';
import { insertApproved, openRecordsOf, openStored } from '../../harness/stored-approval.ts';
import { insertMove } from '../../harness/stored-recommendation.ts';
import { createClient } from '../../../sdk/src/index.ts';
import type { Stack } from '../../../dev/stack.ts';
import { localServers, localService } from '../../servers.ts';
import { newCloudCustomer } from '../customers.ts';

/** The service's own table of routes: a route that is added is attacked without a new test. */
export const ROUTES: readonly Route[] = describeApi();

export const nameOf = ({ method, path }: Route): string => `${method} ${path}`;

export type Attacker = Awaited<ReturnType<typeof createAttacker>>;
/** An account that has at least one resource of every kind that a route names. */
export type Victim = Awaited<ReturnType<typeof createVictim>>;

/** Values of the path's and the body's ids, by name. */
export type Ids = Readonly<Record<string, string>>;

export async function createAttacker() {
  const { baseUrl } = await localService();
  const cloud = await newCloudCustomer('r2');
  const { accountId, token } = cloud;
  const { apiKey } = await cloud.client.apiKey.regenerate();
  const bearerOf = (auth: RouteAuth) =>
    auth === 'none' ? {} : { bearer: auth === 'apiKey' ? apiKey : token };
  const given = { accountId, token, apiKey, cloud };
  return {
    ...given,
    /** Calls a route with the credential of its kind. */
    attack: (route: Route, ids: Ids = {}, body: unknown = bodyOf(route, ids)) =>
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
  const body = exampleOf(route).body as object;
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

export async function createVictim() {
  const owner = await createAttacker();
  const { stack } = await localServers();
  const { baseUrl } = await localService();
  const { init, complete, deleteFile } = createClient({ baseUrl, apiKey: owner.apiKey });
  const announce = (more: object = {}) =>
    init({ fileName: 'secret-plan.pdf', contentType: 'text/plain', fileSizeBytes: 8, ...more });
  const files = await Promise.all([announce(), announce(), announce(), announce()]);
  const [, active, deleted, expired] = files;
  const { presignedUrl, requiredHeaders: headers } = active;
  await fetch(presignedUrl, { method: 'PUT', headers, body: '12345678' });
  await complete(active.fileId);
  await deleteFile(deleted.fileId);
  const inParts = await announce({ multipart: true });
  const { db, close } = await openDatabase(stack);
  const stored = db.collection<{ _id: string }>('files');
  await stored.updateOne({ _id: expired.fileId }, { $set: { status: 'expired' } });
  await close();
  const resources: Readonly<Record<string, readonly string[]>> = {
    fileId: [...files, inParts].map(({ fileId }) => fileId),
    ...(await storeAudit(stack, owner)),
  };
  return { ...owner, resources };
}

/** A connection, a scan, a recommendation that is open, one whose migration is planned, and a webhook. */
async function storeAudit(stack: Stack, { accountId, cloud }: Attacker) {
  const records = openRecordsOf(stack);
  const move = { accountId, bucket: 'secret-bucket', region: 'us-east-1', objects: 1, bytes: 1 };
  const open = await insertMove(records, move);
  const { recommendationId: approved, migrationId } = await insertApproved(records, move);
  const connectionId = await cloud.connect();
  const found = await records.recommendations.findRecommendation({
    recommendationId: approved,
    accountId,
  });
  await openStored(records, { migrationId, accountId });
  const webhookId = randomUUID();
  const sealed = { keyId: 'k1', nonce: '', ciphertext: '', tag: '' };
  await records.webhooks.addWebhook(
    accountId,
    {
      webhookId,
      url: 'https://secret-plan.example/',
      events: ['scan.completed'],
      format: 'standard',
      secret: sealed,
      createdAt: new Date(),
      disabledAt: null,
    },
    activityOf(accountId, 'webhook.added'),
  );
  const relocationId = randomUUID();
  await records.relocations.insertRun(
    relocationOf({ relocationId, accountId }),
    activityOf(accountId, 'relocation.started'),
  );
  const drillId = randomUUID();
  await records.drills.insertRun(
    drillOf({ drillId, accountId }),
    activityOf(accountId, 'drill.started'),
  );
  await records.close();
  return {
    connectionId: [connectionId],
    scanId: [found?.scanId ?? assert.fail()],
    recommendationId: [open, approved],
    migrationId: [migrationId],
    webhookId: [webhookId],
    relocationId: [relocationId],
    drillId: [drillId],
  };
}

/** A relocation that has ended. */
function relocationOf(ids: Pick<RelocationRecord, 'relocationId' | 'accountId'>): RelocationRecord {
  const now = new Date();
  const place = { provider: 'aws', bucketName: 'secret-bucket', region: 'us-east-1' };
  return {
    ...ids,
    status: 'completed',
    from: place,
    to: { ...place, bucketName: 'secret-target' },
    select: {},
    quote: NO_QUOTE,
    maxTotalUsd: 0,
    startedBy: 'secret-sub',
    startedByName: 'secret-name',
    requestId: randomUUID(),
    startedAt: now,
    after: null,
    pages: 0,
    files: 0,
    bytes: 0,
    page: 0,
    stopping: null,
    movedAt: null,
    completedAt: now,
    error: null,
    costUsd: 0,
  };
}

/** A drill that was cancelled before it began. */
function drillOf(ids: Pick<DrillRecord, 'drillId' | 'accountId'>): DrillRecord {
  const now = new Date();
  const from = { provider: 'aws', bucketName: 'secret-bucket', region: 'us-east-1' };
  return {
    ...ids,
    status: 'cancelled',
    from,
    connectionId: null,
    place: from,
    to: { ...from, bucketName: 'secret-target' },
    seed: 'secret-seed',
    size: { files: 1 },
    sampleFiles: 1,
    maxTotalUsd: 0,
    startedBy: 'secret-sub',
    startedByName: 'secret-name',
    requestId: randomUUID(),
    startedAt: now,
    sampled: null,
    page: 0,
    copyMs: 0,
    used: NO_USE,
    stopping: { status: 'cancelled', error: null },
    removingSince: now,
    removed: true,
    left: [],
    results: null,
    completedAt: now,
    error: null,
    certificateHead: null,
    certificateSha256: null,
  };
}
