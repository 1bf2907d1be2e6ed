import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Drill, DrillEstimate, DrillRequest, DrillSchedule } from '../../../sdk/src/index.ts';
import { exampleOf } from '../examples.ts';
import { CONNECTION_ID, emptyFolder, type FakeClient, srs } from './terminal.ts';

const DRILL_ID = 'd4110000-0000-4000-8000-000000000001';
const FROM = { provider: 'r2', bucketName: 'mine' };
const PAGE = '<!doctype html><title>certificate</title>';

const estimate = exampleOf<DrillEstimate>('POST /v1/drills');
const drillOf = (changes: Partial<Drill> = {}) => ({
  ...exampleOf<Drill>('GET /v1/drills/{drillId}'),
  drillId: DRILL_ID,
  ...changes,
});

/** A client whose drill ends like this, and what it was asked to start. */
function driller(ended = drillOf({ status: 'completed' })) {
  const started: (DrillRequest & { maxTotalUsd: number })[] = [];
  const client: FakeClient = {
    drills: {
      estimate: async () => estimate,
      start: async (request) => {
        started.push(request);
        return drillOf({ status: 'sampling' });
      },
      waitFor: async (_id, options) => {
        options?.onProgress?.(drillOf({ status: 'copying' }));
        return ended;
      },
      get: async () => ended,
      cancel: async () => drillOf({ status: 'removing' }),
      list: async () => ({ items: [ended], total: 1, limit: 10, offset: 0 }),
      certificate: async () => ({ drillId: DRILL_ID }) as never,
      certificatePage: async () => PAGE,
    },
  };
  return { client, started };
}

const drill = 'drill --from r2/mine --to b2';

describe('srs drill', () => {
  it('shows the estimate, asks, waits, and writes the certificate', async () => {
    const folder = await emptyFolder();
    const { client, started } = driller();
    const path = join(folder, 'certificate.html');
    const ran = await srs([...drill.split(' '), '--wait', '-o', path], {
      client,
      answers: ['y\r'],
    });
    assert.equal(ran.exitCode, 0, ran.stderr);
    const { totalUsd: maxTotalUsd } = estimate;
    assert.deepEqual(started, [{ from: FROM, to: 'b2', sample: { files: 1_000 }, maxTotalUsd }]);
    assert.match(ran.stderr, /^Sample .+\nCosts once .+\n/);
    assert.match(ran.stderr, /Begin the drill\? \[y\/N\]/);
    assert.match(ran.stdout, /^completed: r2\/|^completed: /);
    assert.equal(await readFile(path, 'utf8'), PAGE);
    const json = join(folder, 'certificate.json');
    const again = await srs(['drill', 'certificate', DRILL_ID, '-o', json], { client });
    assert.equal(again.exitCode, 0, again.stderr);
    assert.equal(await readFile(json, 'utf8'), JSON.stringify({ drillId: DRILL_ID }));
  });

  it('samples a bucket of a connection, or by bytes', async () => {
    const { client, started } = driller();
    const of = `--connection-id ${CONNECTION_ID} --bucket logs`;
    await srs(`drill ${of} --to b2 --sample-bytes 5000 --max-total-usd 9 --yes`, { client });
    const from = { connectionId: CONNECTION_ID, bucketName: 'logs' };
    assert.deepEqual(started, [{ from, to: 'b2', sample: { bytes: 5_000 }, maxTotalUsd: 9 }]);
  });

  it('begins nothing without a yes, without a terminal, above the limit, or as a dry run', async () => {
    for (const [answers, more, exitCode] of [
      [['n\r'], '', 1],
      [undefined, '', 2],
      [undefined, '--yes --max-total-usd 0', 1],
      [undefined, '--dry-run', 0],
      [undefined, '--yes --connection-id x --bucket y', 2],
    ] as const) {
      const { client, started } = driller();
      const ran = await srs(`${drill} ${more}`, { client, ...(answers ? { answers } : {}) });
      assert.deepEqual([ran.exitCode, started], [exitCode, []], ran.stderr);
    }
  });

  it('shows, sets and removes its schedule, and sends nothing of half a rule', async () => {
    const schedule = exampleOf<DrillSchedule>('PUT /v1/drills/schedule', { last: null });
    const asked: unknown[] = [];
    let present: DrillSchedule | null = null;
    const client: FakeClient = {
      drills: {
        estimate: async () => estimate,
        schedule: async () => present,
        setSchedule: async (rule) => {
          asked.push(rule);
          return { ...schedule, ...rule };
        },
        removeSchedule: async () => void asked.push('removed'),
      },
    };
    const rule = '--every quarter --hour 3 --max-total-usd 5';
    const set = await srs(`drill schedule --from r2/mine --to b2 ${rule}`, {
      client,
      answers: ['y\r'],
    });
    assert.match(set.stderr, /Begin such a drill every quarter at 03:00 UTC\? \[y\/N\]/);
    assert.match(set.stdout, /^every {4}quarter at 03:00 UTC\nwhat .+ \$5\.00 at most\nnext /);
    assert.match((await srs('drill schedule', { client })).stdout, /^no schedule/);
    const last = { at: schedule.nextAt, drillId: DRILL_ID, outcome: 'started' } as const;
    present = { ...schedule, last };
    const shown = (await srs('drill schedule', { client })).stdout;
    assert.match(shown, new RegExp(`last .+: started, drill ${DRILL_ID}\n$`));
    assert.equal((await srs('drill schedule --off', { client })).exitCode, 0);
    const half = await srs('drill schedule --from r2/mine --every month --yes', { client });
    assert.equal(half.exitCode, 2);
    const drilled = { from: FROM, to: 'b2', sample: { files: 1_000 }, maxTotalUsd: 5 };
    assert.deepEqual(asked, [{ every: 'quarter', hourUtc: 3, drill: drilled }, 'removed']);
  });

  it('checks a certificate without the service, by its objects and its SHA-256', async () => {
    const folder = await emptyFolder();
    const path = join(folder, 'certificate.json');
    const sha256 = (...parts: (string | Buffer)[]) =>
      createHash('sha256')
        .update(Buffer.concat(parts.map((part) => Buffer.from(part))))
        .digest();
    const objects = ['a', 'b'].map((key, at) => ({ key, etag: 'e', bytes: at, sha256: null }));
    const leaves = objects.map(({ key, bytes }) =>
      sha256('\0', JSON.stringify([key, 'e', null, bytes])),
    );
    const rootHash = sha256('\u0001', ...leaves).toString('hex');
    const results = { ...drillOf().results, equal: 2, rootHash };
    const text = JSON.stringify({ drillId: DRILL_ID, results, objects });
    await writeFile(path, text);
    const hash = sha256(text).toString('hex');
    const verified = await srs(['drill', 'verify', path, '--sha256', hash]);
    assert.equal(verified.stdout, `verified: 2 objects, root ${rootHash}, SHA-256 ${hash}\n`);
    for (const [other, more, said] of [
      [text, ['--sha256', rootHash], /its SHA-256 is/],
      [text.replace('"bytes":1', '"bytes":2'), [], /its root hash is another one/],
      [text.replace('"equal":2', '"equal":3'), [], /it has 2 objects, not 3/],
      [text.replace('"key":"b"', '"key":"A"'), [], /out of order/],
      ['{}', [], /no certificate/],
    ] as const) {
      await writeFile(path, other);
      const ran = await srs(['drill', 'verify', path, ...more]);
      assert.equal(ran.exitCode, 1);
      assert.match(ran.stdout, said);
    }
  });

  it('ends with what came of it, and is listed', async () => {
    const results = drillOf().results;
    for (const [ended, exitCode] of [
      [drillOf({ status: 'completed', results: { ...results, failed: 0 } }), 0],
      [drillOf({ status: 'completed', results: { ...results, failed: 1 } }), 3],
      [drillOf({ status: 'failed' }), 1],
      [drillOf({ status: 'cancelled' }), 1],
    ] as const) {
      const { client } = driller(ended);
      const ran = await srs(`drill watch ${DRILL_ID} --json`, { client });
      assert.equal(ran.exitCode, exitCode, ran.stderr);
    }
    const { client } = driller();
    const listed = await srs('drills', { client });
    assert.match(listed.stdout, new RegExp(`^DRILL .*\n${DRILL_ID} {2}completed`));
    const cancelled = await srs(`drill cancel ${DRILL_ID}`, { client });
    assert.match(cancelled.stdout, /^removing: /);
  });
});
