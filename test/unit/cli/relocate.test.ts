import assert from 'node:assert/strict';
import type { Relocation, RelocationEstimate, RelocationRequest } from '../../../sdk/src/index.ts';
import { exampleOf } from '../examples.ts';
import { FILE_ID, type FakeClient, refusal, srs } from './terminal.ts';

const RELOCATION_ID = '4e10c000-0000-4000-8000-000000000001';
const OTHER_FILE_ID = 'f11e0000-0000-4000-8000-000000000002';
const FROM = { provider: 'r2', bucketName: 'mine' };

const estimate = exampleOf<RelocationEstimate>('POST /v1/relocations');
const { totalUsd } = estimate.quote;
const progress = {
  ...exampleOf<Relocation>('GET /v1/relocations/{relocationId}').progress,
  filesTotal: 5,
  filesMoved: 4,
  bytesTotal: 2_000,
  bytesMoved: 1_000,
  bytesPerSecond: 500,
  etaSeconds: 2,
};
const failure = { fileId: FILE_ID, code: 'object_changed', reason: 'another \u001B[31mobject' };
const relocationOf = (status: string, changes: object = {}) =>
  exampleOf<Relocation>('GET /v1/relocations/{relocationId}', {
    relocationId: RELOCATION_ID,
    status,
    from: { ...FROM, region: 'auto' },
    progress: { ...progress, filesFailed: 0, ...changes },
    failures: 'filesFailed' in changes ? [failure] : [],
    error: status === 'failed' ? { code: 'provider_error', message: 'refused' } : null,
  });

/** A client whose relocation ends like this, and what it was asked to start. */
function relocator(ended = relocationOf('draining')) {
  const started: (RelocationRequest & { maxTotalUsd: number })[] = [];
  const estimated: RelocationRequest[] = [];
  const client: FakeClient = {
    relocations: {
      estimate: async (request) => {
        if (request.to === 'nowhere') throw refusal('provider_not_configured', 400);
        estimated.push(request);
        return estimate;
      },
      start: async (request) => {
        started.push(request);
        return relocationOf('planning');
      },
      waitFor: async (_id, options) => {
        options?.onProgress?.(relocationOf('copying'));
        return ended;
      },
      get: async () => ended,
      cancel: async () => relocationOf('cancelled'),
      list: async () => ({ items: [ended], total: 1, limit: 10, offset: 0 }),
      async *report() {
        yield { fileId: FILE_ID, outcome: 'moved' } as never;
        yield { relocationId: RELOCATION_ID, status: 'completed' } as never;
      },
    },
  };
  return { client, started, estimated };
}

const relocate = 'relocate --from r2/mine --to b2';

describe('srs relocate', () => {
  it('shows the estimate, asks, draws a bar, and says when the old objects go', async () => {
    const { client, started } = relocator();
    const ran = await srs(relocate, { client, answers: ['y\r'] });
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.deepEqual(started, [{ from: FROM, to: 'b2', select: {}, maxTotalUsd: totalUsd }]);
    const [move, cost, storage, links] = ran.stderr.split('\n');
    assert.match(move ?? '', /^Move {8}1,204 files, .+, from r2\/mine to b2$/);
    assert.match(cost ?? '', /^Costs once {2}\$\d/);
    assert.match(storage ?? '', /^Storage {5}\$10\.35 a month now, then \$6\.75$/);
    assert.match(links ?? '', /^Links {7}stay; an old object is deleted once no URL/);
    assert.match(ran.stderr, /Move them\? \[y\/N\]/);
    assert.match(ran.stderr, /% {2}copying: 4 of 5 files, 1 KB of 2 KB, 500 bytes\/s, 2 s left/);
    assert.match(ran.stdout, /^draining: r2\/mine to .*\nmoved {4}4 of 5 files, 1 KB of 2 KB\n/);
    const next = new RegExp(`old objects are deleted .*: srs relocation show ${RELOCATION_ID}\n$`);
    assert.match(ran.stdout, next);
  });

  it('starts nothing where no file is there', async () => {
    const { client, started } = relocator();
    const none = async () => ({ ...estimate, files: 0 });
    const relocations = { ...client.relocations, estimate: none };
    const ran = await srs(relocate, { client: { ...client, relocations }, answers: [] });
    assert.deepEqual([ran.exitCode, started], [0, []]);
    assert.equal(ran.stdout, 'no file is there to be moved\n');
  });

  it('shows the estimate alone with --dry-run, and asks for nothing', async () => {
    const { client, started, estimated } = relocator();
    const chosen = `--priority archive --min-age-days 30 --file ${FILE_ID} ${OTHER_FILE_ID}`;
    const ran = await srs(`${relocate} --dry-run --json ${chosen}`, { client });
    assert.deepEqual([ran.exitCode, ran.stderr, ran.documents()], [0, '', [estimate]]);
    const fileIds = [FILE_ID, OTHER_FILE_ID];
    const select = { priority: 'archive', minAgeDays: 30, fileIds };
    assert.deepEqual(estimated, [{ from: FROM, to: 'b2', select }]);
    const place = '--region auto --account-id a --jurisdiction eu';
    const { stdout } = await srs(`${relocate} --dry-run ${place}`, { client });
    assert.match(stdout, /^Move {8}1,204 files/);
    const from = { ...FROM, region: 'auto', accountId: 'a', jurisdiction: 'eu' };
    assert.deepEqual(estimated.at(-1)?.from, from);
    assert.deepEqual(started, []);
  });

  it('begins nothing without a yes, without a terminal, or above --max-total-usd', async () => {
    for (const [answers, more, exitCode, code] of [
      [['n\r'], '', 1, 'not_confirmed'],
      [undefined, '', 2, 'not_confirmed'],
      [undefined, '--yes --max-total-usd 0', 1, 'quote_exceeded'],
      [['\u0003'], '', 130, 'aborted'],
    ] as const) {
      const { client, started } = relocator();
      const options = { client, ...(answers ? { answers } : {}) };
      const ran = await srs(`${relocate} --json ${more}`, options);
      assert.deepEqual([ran.exitCode, started, ran.stdout], [exitCode, [], ''], ran.stderr);
      assert.match(ran.stderr, new RegExp(`"code":"${code}"`));
    }
  });

  it('passes --max-total-usd on', async () => {
    const { client, started } = relocator();
    await srs(`${relocate} --yes --max-total-usd 100`, { client });
    assert.equal(started[0]?.maxTotalUsd, 100);
  });

  for (const [what, args] of [
    ['a place without a bucket', '--from r2 --to b2'],
    ['no target', '--from r2/mine'],
    ['a file id that is none', '--from r2/mine --to b2 --file x'],
    ['an unknown priority', '--from r2/mine --to b2 --priority warm'],
  ] as const)
    it(`refuses ${what}`, async () => {
      const { client, estimated } = relocator();
      const ran = await srs(`relocate ${args} --json`, { client });
      assert.deepEqual([ran.exitCode, ran.failures()[0]?.['code']], [2, 'wrong_usage']);
      assert.deepEqual(estimated, []);
    });

  it('says how to configure a store that is not', async () => {
    const ran = await srs('relocate --from r2/mine --to nowhere --yes', relocator());
    assert.equal(ran.exitCode, 1);
    assert.match(ran.stderr, /srs providers set/);
  });
});

describe('srs relocation', () => {
  for (const [status, filesFailed, exitCode] of [
    ['draining', 0, 0],
    ['draining', 1, 3],
    ['completed', 0, 0],
    ['completed_with_failures', 1, 3],
    ['failed', 0, 1],
    ['cancelled', 0, 1],
  ] as const)
    it(`watch ends with ${exitCode} for ${status}, ${filesFailed} failed`, async () => {
      const { client } = relocator(relocationOf(status, { filesFailed }));
      const ran = await srs(`relocation watch ${RELOCATION_ID} --json`, { client });
      assert.deepEqual([ran.exitCode, ran.documents()[0]?.['status']], [exitCode, status]);
    });

  it('show prints what has failed and why, and cancel what it is then', async () => {
    const { client } = relocator(relocationOf('failed', { filesFailed: 1, filesSkipped: 2 }));
    const { stdout } = await srs(`relocation show ${RELOCATION_ID}`, { client });
    assert.match(stdout, /\nskipped {2}2, 1 failed; why: srs relocation report /);
    assert.match(stdout, /\nreason {3}refused \(provider_error\)\n/);
    assert.match(stdout, /\nfailed {3}\S+: another \\u\{1b\}\[31mobject \(object_changed\)\n$/);
    const cancelled = await srs(`relocation cancel ${RELOCATION_ID}`, { client });
    assert.match(cancelled.stdout, /^cancelled: r2\/mine to /);
  });

  it('report prints a line for each file, and the list one for each relocation', async () => {
    const { client } = relocator();
    const ran = await srs(`relocation report ${RELOCATION_ID}`, { client });
    assert.deepEqual([ran.exitCode, ran.documents().length], [0, 2]);
    const listed = await srs('relocations', { client });
    assert.match(listed.stdout, /^RELOCATION .*\n\S+ {2}draining {2}100 % {2}r2\/mine to /);
  });
});
