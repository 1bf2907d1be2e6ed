import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { call } from '../../harness/customer.ts';
import { localServers, localService } from '../../servers.ts';
import { createVictim, type Victim } from './attack.ts';

const GUESSES = 14;

describe('API6: a flow that costs money or opens an account', () => {
  let victim: Victim;
  let baseUrl: string;
  before(async () => {
    ({ baseUrl } = await localService());
    victim = await createVictim();
  });
  const manage = (route: string, body?: unknown, bearer = victim.token) =>
    call(baseUrl, route, { bearer, ...(body === undefined ? {} : { body }) });

  it('is not begun by guessing the id of a recommendation', async () => {
    for (let guess = 0; guess < 20; guess += 1) {
      const route = `POST /v1/scanner/recommendations/${randomUUID()}/approve`;
      const { status } = await manage(route, { targetProvider: 'b2' });
      assert.equal(status, 404);
    }
  });

  it('approves only what the recommendation offered, and at its quote', async () => {
    const [open = ''] = victim.resources['recommendationId'] ?? [];
    const route = `POST /v1/scanner/recommendations/${open}/approve`;
    for (const body of [
      { targetProvider: 'aws' },
      { targetProvider: 'gcs' },
      { targetProvider: 'b2', quote: { totalUsd: 0 } },
      { targetProvider: 'b2', approvedBy: 'somebody' },
      {},
    ])
      assert.equal((await manage(route, body)).status, 400, JSON.stringify(body));
    // Without the credentials of the source and the target nothing is approved.
    const refused = await manage(route, { targetProvider: 'b2' });
    assert.equal(refused.body['code'], 'provider_not_configured', refused.text);
  });

  it('approves once: another target is refused, an equal repeat is the same approval', async () => {
    const [, approved = ''] = victim.resources['recommendationId'] ?? [];
    const [migrationId] = victim.resources['migrationId'] ?? [];
    const route = `POST /v1/scanner/recommendations/${approved}/approve`;
    const repeats = await Promise.all(
      Array.from({ length: 5 }, () => manage(route, { targetProvider: 'b2' })),
    );
    for (const { status, body, text } of repeats) {
      assert.equal(status, 202, text);
      assert.equal(body['migrationId'], migrationId);
      assert.equal(body['approvedBy'], 'owner');
    }
    const other = await manage(route, { targetProvider: 'r2' });
    assert.equal(other.status, 409, other.text);
  });

  it('does not let an external id be guessed: attempts at a role are counted over all accounts', async () => {
    const { stack } = await localServers();
    assert.ok(stack.identity && stack.cloud);
    const roleArn = `arn:aws:iam::${victim.cloud.awsAccount}:role/Another`;
    stack.cloud.double.putRole({
      roleArn,
      trustPolicy: {
        Version: '2012-10-17',
        Statement: [
          {
            Effect: 'Allow',
            Principal: { AWS: 'arn:aws:iam::999988887777:root' },
            Action: 'sts:AssumeRole',
            Condition: { StringEquals: { 'sts:ExternalId': randomUUID() } },
          },
        ],
      },
      policies: [],
    });
    const statuses: number[] = [];
    for (let guess = 0; guess < GUESSES; guess += 1) {
      // Every guess by another account.
      const bearer = stack.identity.issueToken({ account: `guesser-${randomUUID().slice(0, 8)}` });
      const body = { roleArn, externalId: `guess-${guess}`, regions: ['us-east-1'] };
      statuses.push((await manage('POST /v1/scanner/connect', body, bearer)).status);
    }
    assert.deepEqual([...new Set(statuses)], [422, 429], statuses.join());
    assert.equal(statuses.indexOf(429), 10, 'the eleventh guess is refused');
  });

  it('does not let a connected role be taken by another account', async () => {
    const { stack } = await localServers();
    const bearer = stack.identity?.issueToken({ account: `taker-${randomUUID().slice(0, 8)}` });
    const { roleArn, externalId } = victim.cloud;
    const body = { roleArn, externalId, regions: ['us-east-1'] };
    const answer = await manage('POST /v1/scanner/connect', body, bearer);
    assert.equal(answer.body['code'], 'role_already_connected', answer.text);
  });

  it('opens no page of a payment service that is not configured', async () => {
    for (const plan of ['starter', 'growth']) {
      const { body } = await manage('POST /v1/billing/checkout', { plan });
      assert.equal(body['code'], 'billing_not_configured');
    }
    assert.equal((await manage('POST /v1/billing/checkout', { plan: 'enterprise' })).status, 400);
  });
});
