import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { toCredentials } from '../../dev/first-account.ts';
import type { ServiceProcess } from '../../dev/service.ts';
import type { Stack } from '../../dev/stack.ts';
import { createClient, type StorageRoutingClient } from '../../sdk/src/index.ts';
import { addressOf, ENDPOINTS, nameOf } from '../acceptance/endpoints.ts';
import { activityOf } from '../harness/actor.ts';
import { refusal } from '../contract/refusal.ts';
import { assertRefused, call, untilLogged } from '../harness/customer.ts';
import { localServers, localService } from '../servers.ts';
import { sharedRecords } from './customers.ts';

const PEOPLE = { JWT_ACCOUNT_CLAIM: 'org', JWT_ROLE_CLAIM: 'roles' };

describe('the people of an account', () => {
  const records = sharedRecords();
  let stack: Stack;
  let api: ServiceProcess;
  let baseUrl: string;
  before(async () => {
    ({ stack } = await localServers());
    const service = await localService();
    api = await service.addApi(PEOPLE);
    baseUrl = api.url;
  });

  it('have roles or not as the log of a process says at its start, with the claim', async () => {
    await untilLogged(api, '"claim":"roles","msg":"roles are enforced');
    const [without] = (await localService()).apis;
    await untilLogged(without ?? assert.fail(), '"msg":"roles are not enforced');
  });

  const tokenOf = (org: string, sub: string, claims: object = {}) =>
    (stack.identity ?? assert.fail()).issueToken({ account: sub, claims: { org, ...claims } });
  const clientOf = (...token: Parameters<typeof tokenOf>): StorageRoutingClient =>
    createClient({ baseUrl, dashboardToken: tokenOf(...token) });

  const changing = ENDPOINTS.filter(({ auth, method }) => auth === 'dashboard' && method !== 'GET');
  for (const endpoint of changing) {
    it(`may only look, without a role that changes something: ${nameOf(endpoint)}`, async () => {
      const address = `${endpoint.method} ${addressOf(endpoint)}`;
      const bearer = tokenOf('org', 'vera', { roles: ['viewer'] });
      const refused = await call(baseUrl, address, { bearer, body: {} });
      assertRefused(refused, { status: 403, code: 'forbidden' });
      assert.match(refused.text, /approver/);
    });
  }

  it('have a role by a string that is equal, or by a list that holds it', async () => {
    for (const [roles, mayChange] of [
      [undefined, false],
      ['approvers', false],
      ['viewer approver', false],
      [['viewer'], false],
      ['approver', true],
      [['viewer', 'admin'], true],
    ] as const) {
      const person = await clientOf('org', 'pat', { roles }).person();
      assert.equal(person.mayChange, mayChange, String(roles));
      assert.deepEqual(person.changingRoles, ['approver', 'admin']);
    }
  });

  it('see the external ids of connections if they may change something, else masked', async () => {
    const org = `org-${randomUUID()}`;
    const connectionOf = (externalId: string, name: string) => ({
      connectionId: randomUUID(),
      accountId: org,
      provider: 'aws',
      roleArn: `arn:aws:iam::111122223333:role/${name}-${org}`,
      externalId,
      regions: ['us-east-1'],
      bucketCount: 1,
      warnings: [],
      createdAt: new Date(),
    });
    const externalIds = ['a9f1c2d3-0000-4000-8000-example', 'short-one'];
    for (const [at, externalId] of externalIds.entries())
      await records.connections.saveConnection(
        connectionOf(externalId, `role-${at}`),
        (connectionId) => activityOf(org, 'connection.saved', connectionId),
      );
    const seenBy = async (roles: string) =>
      (await clientOf(org, 'pat', { roles }).scanner.connections()).items
        .map((each) => each.externalId ?? '')
        .toSorted();
    assert.deepEqual(await seenBy('approver'), externalIds);
    assert.deepEqual(await seenBy('viewer'), ['a9f1…', '…']);
  });

  it('are shown by their name, else by their email, else by their subject', async () => {
    const email = 'pat@example.com';
    for (const [claims, name] of [
      [{ name: 'Pat P.', email }, 'Pat P.'],
      [{ email }, email],
      [{}, 'pat'],
    ] as const)
      assert.equal((await clientOf('org', 'pat', claims).person()).name, name);
  });

  it('are in the activity with what they changed, once, and without a secret', async () => {
    const org = `org-${randomUUID()}`;
    const client = clientOf(org, 'ada', { name: 'Ada', roles: 'admin' });
    const viewer = clientOf(org, 'vera', { name: 'Vera', roles: 'viewer' });
    const credentials = toCredentials('r2', stack.environment);
    await client.apiKey.regenerate();
    await client.keys.rotate();
    await client.providers.save(credentials);
    await client.providers.delete('r2');
    await client.providers.delete('r2');
    assert.equal((await refusal(viewer.providers.save(credentials))).code, 'forbidden');
    await client.providers.save({ ...credentials, bucketName: '' }).catch(() => undefined);
    const { items, total } = await viewer.activity();
    assert.deepEqual(
      items.map(({ action, on, name, subject }) => [action, on, name, subject]).reverse(),
      [
        ['key.issued', items.at(-1)?.on, 'Ada', 'ada'],
        ['key.rotated', items.at(-2)?.on, 'Ada', 'ada'],
        ['provider.saved', 'r2', 'Ada', 'ada'],
        ['provider.deleted', 'r2', 'Ada', 'ada'],
      ],
    );
    assert.equal(total, 4);
    assert.ok(!JSON.stringify(items).includes(credentials.secretAccessKey));
    assert.equal((await viewer.activity({ limit: 1, offset: 3 })).items[0]?.action, 'key.issued');
    const stranger = clientOf(`org-${randomUUID()}`, 'ada');
    assert.equal((await stranger.activity()).total, 0);
  });
});
