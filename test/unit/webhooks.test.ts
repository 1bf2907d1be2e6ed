import assert from 'node:assert/strict';
import { Webhook } from 'standardwebhooks';
import { isPublicAddress } from '../../adapters/webhooks/public-address.ts';
import { createWebhookSender } from '../../adapters/webhooks/sender.ts';
import { addSeconds } from '../../domain/common/time.ts';
import { afterAttempt } from '../../domain/webhooks/delivery.ts';
import { openedRecommendation } from '../../domain/webhooks/event.ts';
import { createSecret, signatureHeaders, writeBody } from '../../domain/webhooks/message.ts';
import { recordOfMove } from '../harness/stored-recommendation.ts';

const NOW = new Date('2026-11-20T12:00:00.000Z');
const HOUR = 3_600;

describe('an address that a customer chooses', () => {
  const refused = [
    ['127.0.0.1', '10.1.2.3', '172.16.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1'],
    ['0.0.0.0', '192.0.2.1', '198.18.0.1', '203.0.113.9', '224.0.0.1', '240.0.0.1'],
    ['255.255.255.255', '192.0.0.1', '192.88.99.1', '::1', '::', 'fc00::1', 'fd12::1'],
    ['fe80::1', 'fec0::1', 'ff02::1', '2001:db8::1', '3fff::1', '100::1', '5f00::1'],
    ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:8.8.8.8', '::7f00:1', '::8.8.8.8'],
    ['64:ff9b::7f00:1', '64:ff9b:1::1', '2002:7f00:1::', '2001::1', '2001:0:4136:e378::1'],
    ['168.63.129.16', '161.26.0.10', '166.9.48.1', '192.80.8.124', '199.36.153.9'],
    ['::ffff:168.63.129.16', '64:ff9b::a83f:8110', '4000::1', 'localhost', '', '1.2.3'],
  ].flat();
  for (const address of refused)
    it(`is refused where it is ${address || 'empty'}`, () => {
      assert.equal(isPublicAddress(address), false);
    });
  const taken = ['8.8.8.8', '1.1.1.1', '93.184.215.14', '168.63.129.17', '199.36.153.12'];
  for (const address of [...taken, '2606:4700::1111', '2a00:1450::1'])
    it(`is taken where it is ${address}`, () => assert.equal(isPublicAddress(address), true));

  it('is refused at the connection too, by what its name is looked up to', async () => {
    const sender = createWebhookSender({ ports: [], privateHosts: [] });
    for (const url of ['https://127.0.0.1/', 'https://2130706433/', 'https://[::ffff:7f00:1]/'])
      assert.deepEqual(await sender.send(url, {}, '{}'), {
        status: null,
        error: 'The host has an address that is not public.',
      });
    // The hosts file of this machine is not asked.
    const { status, error } = await sender.send('https://localhost/', {}, '{}');
    assert.deepEqual([status, /not public|cannot be resolved/.test(error ?? '')], [null, true]);
  });
});

describe('the attempts of a delivery', () => {
  it('are ten, each some time after the end of the one before', () => {
    const failingSince = addSeconds(NOW, -HOUR);
    const delays = [];
    for (let attempts = 1; attempts <= 10; attempts += 1) {
      const { status, nextAttemptAt } = afterAttempt(
        attempts,
        { status: 500, error: null },
        failingSince,
        NOW,
      );
      assert.equal(status, attempts < 10 ? 'retrying' : 'failed');
      if (nextAttemptAt) delays.push((nextAttemptAt.getTime() - NOW.getTime()) / 1_000);
    }
    const hours = [2, 5, 10, 14, 20, 24].map((count) => count * HOUR);
    assert.deepEqual(delays, [5, 300, 1_800, ...hours]);
  });

  const FIVE_DAYS = 5 * 24 * HOUR;
  const cases = [
    ['200', 200, 0, 'delivered', false],
    ['299', 299, FIVE_DAYS, 'delivered', false],
    ['300', 300, 0, 'retrying', false],
    ['410', 410, 0, 'failed', true],
    ['no answer', null, 0, 'retrying', false],
    ['no answer for five days but a second', null, FIVE_DAYS - 1, 'retrying', false],
    ['no answer for five days', null, FIVE_DAYS, 'failed', true],
    ['404 for five days', 404, FIVE_DAYS, 'failed', true],
  ] as const;
  for (const [title, status, failingSeconds, expected, disables] of cases)
    it(`end as ${expected}${disables ? ', and disable the webhook,' : ''} after ${title}`, () => {
      const answer = { status, error: status === null ? 'none' : null };
      const after = afterAttempt(1, answer, addSeconds(NOW, -failingSeconds), NOW);
      assert.deepEqual([after.status, after.disables !== null], [expected, disables]);
    });
});

describe('what a webhook is sent', () => {
  const event = openedRecommendation(
    recordOfMove(
      { accountId: 'account', bucket: '<b> & c' },
      { recommendationId: 'r', scanId: 's', connectionId: 'c', monthlySavingsUsd: 12.5 },
    ),
    NOW,
  );

  it('is verified by the library of Standard Webhooks with each secret, and not if it is changed', () => {
    const secrets = [createSecret(), createSecret()];
    const body = writeBody(event, 'standard');
    const headers = signatureHeaders(event.id, body, secrets, new Date());
    for (const secret of secrets)
      assert.deepEqual(new Webhook(secret).verify(body, headers), {
        type: event.type,
        timestamp: NOW.toISOString(),
        data: event.data,
      });
    const [first = ''] = secrets;
    assert.throws(() => new Webhook(first).verify(`${body} `, headers));
  });

  it('is a text and a link for a channel, without markup of its own', () => {
    const body = writeBody(event, 'slack', 'https://example.com/dashboard');
    assert.deepEqual(JSON.parse(body), {
      text: 'There is a new recommendation for the bucket &lt;b&gt; &amp; c: $12.50 a month.\n<https://example.com/dashboard/recommendations/r|Open the dashboard>',
    });
  });

  it('is the ids alone where the rest would be too long', () => {
    const long = { ...event, data: { ...event.data, bucket: 'x'.repeat(70_000) } };
    const { data } = JSON.parse(writeBody(long, 'standard')) as { data: unknown };
    assert.deepEqual(data, { recommendationId: 'r', scanId: 's', connectionId: 'c' });
  });
});
