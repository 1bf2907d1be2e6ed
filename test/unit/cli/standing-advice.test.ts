import assert from 'node:assert/strict';
import type * as sdk from '../../../sdk/src/index.ts';
import { exampleOf, itemOf } from '../examples.ts';
import { connection } from './account-client.ts';
import { CONNECTION_ID, type FakeClient, refusal, SCAN_ID, srs } from './terminal.ts';

const WEBHOOK_ID = '3eb00000-0000-4000-8000-000000000001';
const weekly = exampleOf<sdk.Schedule>('PUT /v1/scanner/connections/{connectionId}/schedule', {
  every: 'week',
  hourUtc: 3,
  nextAt: '2026-11-27T03:30:02.000Z',
  last: null,
});
const NEXT = 'every    week at 03:00 UTC\nnext     2026-11-27T03:30:02.000Z\n';

/** A client with this schedule, and what it was asked to change. */
function scheduler(schedule: sdk.Schedule | null) {
  const asked: unknown[][] = [];
  const client: FakeClient = {
    scanner: {
      connections: async () => ({ items: [{ ...connection, schedule }] }),
      setSchedule: async (id, rule) => {
        asked.push([id, rule]);
        return { ...weekly, ...rule };
      },
      removeSchedule: async (id) => void asked.push([id]),
    },
  };
  return { client, asked };
}

describe('srs schedule', () => {
  const command = `schedule ${CONNECTION_ID}`;

  it('shows the schedule without options, and what became of the last time', async () => {
    const { client, asked } = scheduler(weekly);
    assert.equal((await srs(command, { client })).stdout, NEXT);
    for (const [outcome, scanId, said] of [
      ['started', SCAN_ID, `started, scan ${SCAN_ID}`],
      ['plan_limit', null, 'not started, the plan allows no more scans this month'],
      ['later\u001B', null, 'later\\u{1b}'],
    ] as const) {
      const last = { at: '2026-11-20T03:30:09.000Z', scanId, outcome } as never;
      const ran = await srs(command, scheduler({ ...weekly, last }));
      assert.equal(ran.stdout, `${NEXT}last     2026-11-20T03:30:09.000Z: ${said}\n`);
    }
    assert.match((await srs(command, scheduler(null))).stdout, /^no schedule/);
    const [document] = (await srs(`${command} --json`, { client })).documents();
    assert.deepEqual(document, { connectionId: CONNECTION_ID, schedule: weekly });
    assert.deepEqual(asked, []);
  });

  it('sets it, and removes it', async () => {
    const { client, asked } = scheduler(null);
    assert.equal((await srs(`${command} --every week --hour 3`, { client })).stdout, NEXT);
    assert.match((await srs(`${command} --off`, { client })).stdout, /^no schedule/);
    assert.deepEqual(asked, [[CONNECTION_ID, { every: 'week', hourUtc: 3 }], [CONNECTION_ID]]);
  });

  it('sends nothing of half a rule, of a rule that is off, and of an hour that is none', async () => {
    for (const options of [
      '--every day',
      '--hour 3',
      '--every day --hour 3 --off',
      '--every day --hour 24',
      '--every year --hour 3',
    ]) {
      const { client, asked } = scheduler(null);
      assert.equal((await srs(`${command} ${options}`, { client })).exitCode, 2, options);
      assert.deepEqual(asked, []);
    }
  });

  it('says that there is no such connection', async () => {
    const ran = await srs(`schedule ${SCAN_ID} --json`, scheduler(weekly));
    assert.deepEqual([ran.exitCode, ran.failures()[0]?.['code']], [1, 'connection_not_found']);
  });

  it('is in the list of connections', async () => {
    const listed = async (schedule: sdk.Schedule | null) =>
      (await srs('connections', scheduler(schedule))).stdout;
    assert.match(await listed(weekly), /BUCKETS +SCANNED +SINCE\n.* every week at 03:00 UTC /);
    assert.match(await listed(null), / - +\S+\n$/);
  });
});

describe('srs changes', () => {
  const changes = exampleOf<sdk.ScanChanges>('GET /v1/scanner/results/{scanId}/changes');
  const shown = async (answer: sdk.ScanChanges) => {
    const client: FakeClient = { scanner: { changes: async () => answer } };
    return await srs(`changes ${SCAN_ID}`, { client });
  };

  it('shows the change with its causes, of which the cents add up, and escapes names', async () => {
    const { stdout } = await shown({
      ...changes,
      costChangeUsd: -1.2,
      causes: [
        { code: 'new_bucket', usd: 0 },
        { code: 'gone_bucket', usd: -2.405 },
        { code: 'objects', usd: 1.203 },
        { code: 'reads', usd: 0.002 },
        { code: 'prices', usd: 0 },
      ],
      buckets: [
        { name: 'old\u001B[2J', costChangeUsd: -2.405 },
        { name: 'acme-media', costChangeUsd: 1.205 },
      ],
      recommendations: { opened: ['id-1', 'id-2'], gone: ['id-3'], better: ['id-4'] },
    });
    const { since } = changes;
    assert.equal(
      stdout,
      `since    ${since?.at}: scan ${since?.scanId}, prices of ${since?.priceBook}
cost     -$1.20 a month

A MONTH  CAUSE
-$2.40   deleted buckets
+$1.20   changed or older objects
+<$0.01  changed reads

A MONTH  BUCKET
-$2.41   old\\u{1b}[2J
+$1.21   acme-media

RECOMMENDATION  CHANGE
id-1            new
id-2            new
id-3            gone
id-4            saves more
`,
    );
  });

  it('says where nothing has changed, and where there is nothing before', async () => {
    const recommendations = { opened: [], gone: [], better: [] };
    const same = { ...changes, costChangeUsd: 0, causes: [], buckets: [], recommendations };
    assert.match((await shown(same)).stdout, /^since .*\ncost {5}\$0\.00 a month\n$/);
    const first = { ...same, since: null, costChangeUsd: null };
    assert.match((await shown(first)).stdout, /^nothing to compare with/);
  });

  it('prints the whole answer with --json, and the code of a scan that has not completed', async () => {
    const answers = (answer: () => Promise<sdk.ScanChanges>) => ({
      client: { scanner: { changes: answer } },
    });
    const command = `changes ${SCAN_ID} --json`;
    const completed = answers(() => Promise.resolve(changes));
    assert.deepEqual((await srs(command, completed)).documents(), [changes]);
    const refused = answers(() => Promise.reject(refusal('scan_not_completed', 409)));
    const ran = await srs(command, refused);
    assert.deepEqual([ran.exitCode, ran.failures()[0]?.['code']], [1, 'scan_not_completed']);
  });
});

describe('srs webhooks', () => {
  const added = exampleOf<sdk.AddedWebhook>('POST /v1/webhooks', { webhookId: WEBHOOK_ID });
  const webhook = itemOf<sdk.Webhook>('GET /v1/webhooks', { webhookId: WEBHOOK_ID });
  const delivery = itemOf<sdk.WebhookDelivery>('GET /v1/webhooks/{webhookId}/deliveries');
  const { secret } = added;
  const url = 'https://example.com/hooks';

  function webhookClient(
    items: readonly sdk.Webhook[] = [webhook],
    deliveries: readonly sdk.WebhookDelivery[] = [delivery],
  ) {
    const asked: unknown[][] = [];
    const noted = <Answer>(answer: Answer, ...question: unknown[]) => {
      asked.push(question);
      return Promise.resolve(answer);
    };
    const client: FakeClient = {
      webhooks: {
        add: (request) => noted(added, 'add', request),
        list: async () => ({ items: [...items] }),
        deliveries: async () => ({ items: [...deliveries] }),
        test: (id) => noted({ eventId: delivery.eventId }, 'test', id),
        rotate: (id) => noted({ secret }, 'rotate', id),
        enable: (id) => noted(webhook, 'enable', id),
        remove: (id) => noted(undefined, 'remove', id),
      },
    };
    return { client, asked };
  }

  it('lists them, and the deliveries of one, escaped for a terminal', async () => {
    const disabledAt = '2026-11-24T00:00:00.000Z';
    const gone = { ...webhook, url: `${url}/\u001B[2J`, disabledAt };
    const list = (await srs('webhooks', webhookClient([webhook, gone]))).stdout.split('\n');
    assert.match(list[0] ?? '', /^WEBHOOK +STATUS +FORMAT +URL +EVENTS$/);
    assert.match(list[1] ?? '', /^3eb0\S+ +enabled +standard +\S+ +scan\.completed,verdict\.chang/);
    assert.match(list[2] ?? '', /disabled since 2026-11-24T\S+ .*\/\\u\{1b\}\[2J/);
    const silent = { ...delivery, lastStatus: null, lastError: 'timeout', nextAttemptAt: null };
    const rows = await srs(
      `webhooks deliveries ${WEBHOOK_ID}`,
      webhookClient([], [delivery, silent]),
    );
    assert.match(rows.stdout, /^EVENT .*\n9b7c\S+ +scan\.completed +retrying +1 +503 +2026-\S+ /);
    assert.match(rows.stdout, /retrying +1 +timeout +- +2026/);
    assert.match((await srs('webhooks', webhookClient([]))).stdout, /^no webhook/);
    const none = await srs(`webhooks deliveries ${WEBHOOK_ID}`, webhookClient([], []));
    assert.match(none.stdout, /^no delivery/);
    const [document] = (await srs('webhooks --json', webhookClient())).documents();
    assert.deepEqual(document, { items: [webhook] });
  });

  it('prints the secret of a new one once, and nothing else, to standard output', async () => {
    const { client, asked } = webhookClient();
    const command = `webhooks add ${url} --events scan.completed,verdict.changed`;
    const ran = await srs(command, { client });
    assert.deepEqual([ran.exitCode, ran.stdout], [0, `${secret}\n`]);
    assert.ok(ran.stderr.includes(WEBHOOK_ID) && !ran.stderr.includes(secret));
    const [document] = (await srs(`${command} --format slack --json`, { client })).documents();
    assert.deepEqual(document, added);
    const request = { url, events: ['scan.completed', 'verdict.changed'] };
    assert.deepEqual(asked, [
      ['add', { ...request, format: 'standard' }],
      ['add', { ...request, format: 'slack' }],
    ]);
  });

  it('prints a new secret once', async () => {
    const { client } = webhookClient();
    const ran = await srs(`webhooks rotate ${WEBHOOK_ID}`, { client });
    assert.deepEqual([ran.exitCode, ran.stdout], [0, `${secret}\n`]);
    assert.match(ran.stderr, /24 hours/);
    const asJson = await srs(`webhooks rotate ${WEBHOOK_ID} --json`, { client });
    assert.deepEqual(asJson.documents(), [{ webhookId: WEBHOOK_ID, secret }]);
    assert.equal(asJson.stderr, '');
  });

  for (const [name, said] of [
    ['test', `${delivery.eventId}\n`],
    ['enable', `${WEBHOOK_ID}: enabled\n`],
    ['remove', `${WEBHOOK_ID}: removed\n`],
  ] as const)
    it(`asks for it once: srs webhooks ${name}`, async () => {
      const { client, asked } = webhookClient();
      const ran = await srs(`webhooks ${name} ${WEBHOOK_ID}`, { client });
      assert.deepEqual([ran.exitCode, ran.stdout], [0, said]);
      assert.deepEqual(asked, [[name, WEBHOOK_ID]]);
      const asJson = await srs(`webhooks ${name} ${WEBHOOK_ID} --json`, { client });
      assert.deepEqual([asJson.documents().length, asJson.stderr], [1, '']);
    });

  it('sends nothing of an event, a format or an id that is none', async () => {
    for (const command of [
      `webhooks add ${url}`,
      `webhooks add ${url} --events scan.started`,
      `webhooks add ${url} --events scan.completed --format teams`,
      'webhooks remove mine',
    ]) {
      const { client, asked } = webhookClient();
      assert.equal((await srs(command, { client })).exitCode, 2, command);
      assert.deepEqual(asked, []);
    }
  });
});
