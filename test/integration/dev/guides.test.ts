import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { takeFreePort } from '../../../dev/system/ports.ts';
import { STACK_STORES } from '../../../dev/parts/stores.ts';
import { createClient, type Migration, type ScanResult } from '../../../sdk/src/index.ts';
import { programPath } from '../../harness/programs.ts';
import { exitOf, readUntil, runTypeScript } from './fixtures/run.ts';
import { runBlocks, type Session } from './fixtures/run-blocks.ts';
import { listDocuments, readShellBlocks } from './fixtures/shell-blocks.ts';

const documents = listDocuments().map((path) => ({ path, blocks: readShellBlocks(path) }));
const hasAwsCli = programPath('aws') !== undefined;
/** Makes `curl` fail where the API or a store refuses, in documents that do not say so. */
const CURL_SETTINGS = 'fail\nshow-error\n';
/** The programs that a reader needs besides node. */
const NEEDED = ['curl', 'jq', 'openssl'];
const needed = NEEDED.map((program) => `command -v ${program} > /dev/null`);

describe('README and the guides, beside `npm run dev`', () => {
  let folder: string;
  let dev: ChildProcess;
  let session: Session;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'guides-'));
    await writeFile(join(folder, '.curlrc'), CURL_SETTINGS);
    dev = runTypeScript('dev/dev.ts', { PORT: String(await takeFreePort()) });
    let progress = '';
    dev.stderr?.on('data', (chunk: Buffer) => (progress += chunk.toString()));
    const printed = await readUntil(dev, /^export SRS_.*$/m);
    const all = documents.flatMap(({ blocks }) => blocks);
    const exported = printed.split('\n').filter((line) => line.startsWith('export '));
    const settings = {
      folder,
      environment: { CURL_HOME: folder },
      begin: [...needed, ...exported],
    };
    session = await runBlocks(all, settings).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${progress}`);
    });
  });
  after(async () => {
    dev.kill('SIGTERM');
    assert.equal(await exitOf(dev), 0);
    await rm(folder, { recursive: true, force: true });
  });

  for (const { path, blocks } of documents) {
    const skipped = blocks.filter((block) => block.skipped !== undefined);
    const notes = skipped.map(({ at, skipped: reason }) => `not ${at}, ${reason}`);
    const title = `${path}: ${blocks.length - skipped.length} of ${blocks.length} shell blocks run`;
    it([title, ...notes].join('; '), () => {
      for (const { at } of blocks.filter((block) => block.skipped === undefined))
        assert.ok(session.output.includes(`\n== ${at}\n`), `${at} was not reached`);
    });
  }

  const read = async (path: string) => {
    const headers = { authorization: `Bearer ${session.variables['TOKEN']}` };
    return await (
      await fetch(`${session.variables['API']}/v1/scanner/${path}`, { headers })
    ).json();
  };

  it('find an account that shows what is counted', async () => {
    const scan = (await read(`results/${session.variables['scanId']}`)) as ScanResult;
    const { recommendations, decisionReport, summary, buckets } = scan;
    const advice = recommendations.map(
      ({ kind, bucket, recommendedStorageClass, recommendedProvider }) =>
        [bucket, kind === 'move' ? recommendedProvider : (recommendedStorageClass ?? kind)].join(),
    );
    assert.deepEqual(advice.sort(), [
      'acme-avatars,r2',
      'acme-backups,GLACIER_IR',
      'acme-designs,expire_old_versions',
      'acme-downloads,r2',
      'acme-lake,INTELLIGENT_TIERING',
      'acme-logs,GLACIER_IR',
      'acme-logs,abort_multipart_uploads',
      'acme-media,r2',
      'acme-press,r2',
    ]);
    assert.deepEqual(
      decisionReport?.leftAlone.map(({ bucket, prefix, code }) => [bucket, prefix, code]),
      [
        ['acme-telemetry', 'traces/', 'expires'],
        ['acme-telemetry', 'sessions/', 'short_lived'],
        ['acme-ledgers', null, 'locked'],
        ['acme-trail', 'AWSLogs/', 'aws_logs'],
        ['acme-terraform', 'stacks/', 'state'],
      ],
    );
    const toMeasure = buckets.filter(({ findings }) =>
      findings.some(({ code }) => code === 'measure_reads'),
    );
    assert.deepEqual(
      toMeasure.map(({ name }) => name),
      ['acme-courses'],
    );
    const unexplained = summary.bill?.unexplained.map(({ usageType }) => usageType);
    assert.deepEqual(unexplained, ['TimedStorage-ByteHrs', 'TimedStorage-XZ-ByteHrs']);
    assert.ok((summary.bill?.explainedShare ?? 0) > 0.99);
  });

  it('find a second account, of which neither bill nor metrics are known, and move nothing', async () => {
    const scan = (await read(`results/${session.variables['smallScanId']}`)) as ScanResult;
    assert.equal(scan.summary.bill, null);
    const kinds = new Set(scan.recommendations.map(({ kind }) => kind));
    assert.deepEqual([...kinds].sort(), ['abort_multipart_uploads', 'change_class']);
    assert.match(session.output, /^\*\*This audit has seen no bill and no metrics/m);
    assert.match(session.output, /^Whether 6,000 objects .* depends on who reads them/m);
  });

  it('find an account that is worth a migration, and migrate its bucket', async () => {
    const { scanId, migrationId } = session.variables;
    const scan = (await read(`results/${scanId}`)) as ScanResult;
    assert.equal(scan.decisionReport?.verdict, 'migrate_partly');
    assert.ok(scan.decisionReport.currentMonthlyCostUsd > 30);
    const migration = (await read(`migration/${migrationId}`)) as Migration;
    assert.equal(migration.status, 'completed');
    assert.equal(migration.rounds[0]?.objectsCopied, 121);
  });

  it('move uploaded files to another store while their links stay, and none back too early', async () => {
    const { API = '', TOKEN = '', KEY = '', fileId = '', relocationId = '' } = session.variables;
    const client = createClient({ baseUrl: API, dashboardToken: TOKEN, apiKey: KEY });
    const { status, progress } = await client.relocations.get(relocationId);
    assert.deepEqual([status, progress.filesFailed], ['draining', 0]);
    assert.equal((await client.getFile(fileId)).provider, 'b2');
    assert.match(session.output, /^\["skipped","old_object_waits"\]$/m);
  });

  if (hasAwsCli)
    it('carry out a change, which the next scan shows', async () => {
      const scan = (await read(`results/${session.variables['nextScanId']}`)) as ScanResult;
      const [logs, ...more] =
        scan.buckets.find(({ name }) => name === 'acme-logs')?.byStorageClass ?? [];
      assert.deepEqual([logs?.storageClass, logs?.objects, more], ['GLACIER_IR', 4000, []]);
      const isChange = ({ bucket, kind }: ScanResult['recommendations'][number]) =>
        bucket === 'acme-logs' && kind === 'change_class';
      assert.ok(!scan.recommendations.some(isChange));
      assert.match(session.output, /^The rule is added\.\nThe rule is there already\.$/m);
    });

  if (hasAwsCli)
    it('delete the source of the migration, in the sample account', () => {
      assert.match(session.output, /^All objects of the list are deleted, except for those/m);
      assert.doesNotMatch(session.output, /^stays: /m);
    });

  it('have stores that take uploads from the dashboard, and from the example of a page', async () => {
    const { API = '', TOKEN = '' } = session.variables;
    const client = createClient({ baseUrl: API, dashboardToken: TOKEN });
    for (const port of [new URL(API).port, '3000'])
      for (const provider of STACK_STORES) {
        const origin = `http://localhost:${port}`;
        const { ok, checks } = await client.providers.test(provider, { origin });
        assert.ok(ok, `${provider}: ${JSON.stringify(checks)}`);
      }
  });

  it('send every part of the large file', () => {
    assert.doesNotMatch(session.output, /was not sent/);
  });
});
