import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toCredentials } from '../../../dev/first-account.ts';
import { createClient, formatMoney } from '../../../sdk/src/index.ts';
import { isSoon } from '../../../dev/system/probes.ts';
import type { Stack } from '../../../dev/stack.ts';
import { localServers, localService } from '../../servers.ts';
import { refusal } from '../../contract/refusal.ts';
import type { CloudCustomer } from '../../harness/cloud-customer.ts';
import { createOwnStore, newCloudCustomer, seedPress } from '../customers.ts';
import {
  buildCommandLine,
  type CommandLine,
  commandLineIn,
  FROM_CHECKOUT,
} from './command-line.ts';

const PART_BYTES = 8 * 2 ** 20;
const PARTS = 12;
const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

describe('srs, as a process against the service', () => {
  let customer: CloudCustomer;
  let folder: string;
  let environment: Record<string, string>;
  let srs: CommandLine;
  let apiKey: string;
  const secrets: string[] = [];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'srs-cli-'));
    const [servers, service] = await Promise.all([
      localServers(),
      localService(),
      buildCommandLine(),
    ]);
    const { baseUrl } = service;
    customer = await newCloudCustomer();
    environment = {
      SRS_BASE_URL: baseUrl,
      SRS_DASHBOARD_TOKEN: customer.token,
      SRS_EXTERNAL_ID: customer.externalId,
    };
    // The one command whose output is a secret, and so not in what is searched for secrets.
    const rotated = await commandLineIn(folder, environment).run(['keys', 'rotate', '--json']);
    apiKey = String(rotated.document()['newApiKey']);
    environment['SRS_API_KEY'] = apiKey;
    srs = commandLineIn(folder, environment);
    secrets.push(apiKey, customer.token, customer.externalId);
    await saveStores(servers.stack);
  });
  after(() => rm(folder, { recursive: true }));

  async function saveStores(stack: Stack): Promise<void> {
    for (const store of [
      createOwnStore(customer),
      toCredentials('r2', stack.environment),
      toCredentials('b2', stack.environment),
    ]) {
      const account = 'accountId' in store ? ['--account-id', store.accountId] : [];
      const place = ['--bucket', store.bucketName, '--region', store.region, ...account];
      const ran = await srs.run(['providers', 'set', store.provider, ...place, '--json'], {
        SRS_PROVIDER_ACCESS_KEY_ID: store.accessKeyId,
        SRS_PROVIDER_SECRET_ACCESS_KEY: store.secretAccessKey,
      });
      assert.equal(ran.exitCode, 0, ran.stderr);
      secrets.push(store.secretAccessKey);
    }
  }

  it('uploads many, fetches them byte for byte, and deletes them', async () => {
    const files = [0, 1, 300_000, 2_000_000].map((size, index) => ({
      name: `Bericht ${index} 夏.bin`,
      bytes: randomBytes(size),
    }));
    for (const { name, bytes } of files) await writeFile(join(folder, name), bytes);
    const sent = await srs.run(['put', '--json', ...files.map(({ name }) => name)]);
    assert.equal(sent.exitCode, 0, sent.stderr);
    const uploaded = new Map(sent.documents().map(({ file, fileId }) => [file, String(fileId)]));
    assert.equal(uploaded.size, files.length);
    for (const { name, bytes } of files) {
      await rm(join(folder, name));
      const got = await srs.run(['get', uploaded.get(name) ?? '']);
      assert.equal(got.exitCode, 0, got.stderr);
      assert.ok((await readFile(join(folder, name))).equals(bytes), name);
    }
    const removed = await srs.run(['rm', '--json', ...uploaded.values(), UNKNOWN_ID]);
    assert.equal(removed.exitCode, 3);
    assert.equal(removed.documents().length, files.length);
    assert.equal(removed.failure()['code'], 'file_not_found');
    const gone = await srs.run(['get', uploaded.get(files[0]?.name) ?? '', '--json']);
    assert.deepEqual([gone.exitCode, gone.failure()['code']], [1, 'file_deleted']);
  });

  it('exits silently when its stdout is closed early', async () => {
    await writeFile(join(folder, 'long.bin'), randomBytes(8_000_000));
    const sent = await srs.run(['put', '--json', 'long.bin']);
    const running = srs.start(['get', String(sent.document()['fileId']), '-o', '-']);
    running.closeStdout();
    running.stdin.end();
    const { exitCode, stderr } = await running.ended;
    assert.deepEqual([exitCode, stderr], [0, '']);
  });

  for (const [signal, exitCode] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    it(`ends with ${exitCode} on ${signal} in mid-upload, with nothing half done`, async () => {
      const booked = async () => {
        const { usage } = (await srs.run(['me', '--json'])).document();
        return (usage as { uploadsBooked: number }).uploadsBooked;
      };
      const before = await booked();
      const running = srs.start(['put', '-', '--name', 'cut.bin', '--size', '1000000', '--json']);
      running.stdin.write(randomBytes(600_000));
      assert.ok(
        await isSoon(async () => (await booked()) > before, { withinMs: 60_000, everyMs: 50 }),
      );
      running.kill(signal);
      const ran = await running.ended;
      assert.equal(ran.exitCode, exitCode, ran.stderr);
      assert.equal(ran.stdout.length, 0);
      const { code, fileId } = ran.failure();
      assert.equal(code, 'aborted');
      // The local edge store keeps the beginning of a PUT that was cut off, which S3 does not; it counts for nothing.
      const client = createClient({ baseUrl: environment['SRS_BASE_URL'] ?? '', apiKey });
      const left = await refusal(client.complete(String(fileId)));
      assert.match(left.code, /^file_(?:not_on_provider|size_mismatch)$/);
    });
  }

  // What else becomes of it: `unit/cli/put`, `unit/sdk/resume`.
  it('goes on after kill -9 in the middle of a large file, by the command printed at its start', async () => {
    const name = 'large file.bin';
    const bytes = randomBytes(PARTS * PART_BYTES);
    await writeFile(join(folder, name), bytes);
    const client = createClient({ baseUrl: environment['SRS_BASE_URL'] ?? '', apiKey });
    const running = srs.start(['put', '--parts', '1', name]);
    running.stdin.end();
    let fileId = '';
    let held = 0;
    const isUnderWay = async () => {
      fileId = /--resume (\S+) /.exec(running.stderr())?.[1] ?? '';
      held = 0;
      if (fileId) for await (const part of client.listParts(fileId)) held += part.sizeBytes;
      return held >= 3 * PART_BYTES;
    };
    assert.ok(await isSoon(isUnderWay, { withinMs: 60_000, everyMs: 10 }), running.stderr());
    running.kill('SIGKILL');
    const { exitCode, stderr } = await running.ended;
    assert.equal(exitCode, null);
    assert.ok(held < bytes.length, 'it was not yet whole');
    const [, printed] = /srs (put --resume \S+) 'large file\.bin'\n$/.exec(stderr) ?? [];
    const resumed = await srs.run([...(printed ?? assert.fail(stderr)).split(' '), name]);
    assert.equal(resumed.exitCode, 0, resumed.stderr);
    assert.ok(resumed.stdout.toString().startsWith(fileId), resumed.stdout.toString());
    const got = await srs.run(['get', fileId, '-o', '-']);
    assert.ok(got.stdout.equals(bytes));
  });

  it('connects, scans, approves, migrates, and shows the report', async () => {
    const bucket = seedPress(customer, 24);
    const where = ['--role-arn', customer.roleArn, '--regions', 'us-east-1'];
    const connected = await srs.run(['connect', ...where, '--json']);
    const connectionId = String(connected.document()['connectionId']);
    assert.equal((await srs.run(['connections', '--json'])).exitCode, 0);

    const started = await srs.run(['scan', connectionId, '--no-wait', '--json']);
    const scanId = String(started.document()['scanId']);
    const watching = ['scan', '--scan-id', scanId];
    const shown = await srs.run(watching);
    assert.equal(shown.exitCode, 0, shown.stderr);
    assert.match(shown.stdout.toString(), /press-/);
    const scan = (await srs.run([...watching, '--json'])).document();
    const { currentMonthlyCostUsd } = scan['summary'] as { currentMonthlyCostUsd: number };
    const reportOf = async (...format: string[]) =>
      (await srs.run(['report', scanId, ...format])).stdout.toString();
    const [markdown, html] = [await reportOf(), await reportOf('--format', 'html')];
    for (const text of [shown.stdout.toString(), markdown, html.replaceAll('&lt;', '<')])
      assert.ok(text.includes(formatMoney(currentMonthlyCostUsd)), text);
    assert.match(markdown, /^# /);
    assert.match(html, /^<!doctype html>/i);
    assert.match(await reportOf('--format', 'csv'), /^scanId,recommendationId,.+\r\n/);
    assert.equal((await srs.run(['report', scanId, '--format', 'pdf'])).exitCode, 2);
    const moves = scan['recommendations'] as Record<string, string>[];
    const move = moves.find((one) => one['kind'] === 'move' && one['bucket'] === bucket);
    const approve = ['approve', move?.['recommendationId'] ?? '', '--target', 'b2'];

    const unasked = await srs.run([...approve, '--json']);
    assert.deepEqual([unasked.exitCode, unasked.failure()['code']], [2, 'not_confirmed']);
    const approved = await srs.run([...approve, '--yes']);
    assert.equal(approved.exitCode, 0, approved.stderr);
    assert.match(approved.stderr, /^Move .*\nCosts once .*\nSaves .*\nPaid back .*\nBeware .*\n/);
    const migrationId = approved.stdout.toString().trim();

    const watch = ['migration', 'watch', migrationId, '--json'];
    const watched = await srs.run(watch);
    assert.deepEqual([watched.exitCode, watched.document()['status']], [0, 'completed']);
    const report = await srs.run(['migration', 'report', migrationId]);
    const lines = report.documents();
    assert.equal(lines.length, 25);
    assert.equal(lines.filter(({ outcome }) => outcome === 'copied').length, 24);
    const toFile = ['migration', 'report', migrationId, '-o', 'report.ndjson', '--json'];
    assert.equal((await srs.run(toFile)).document()['lines'], 25);
    assert.deepEqual(await readFile(join(folder, 'report.ndjson')), report.stdout);
    assert.match(
      (await srs.run(['migration', 'cancel', migrationId])).stdout.toString(),
      /^completed/,
    );
    assert.equal((await srs.run(['disconnect', connectionId, '--json'])).exitCode, 0);
  });

  it('relocates files to another store while their links stay, and says when the old objects go', async () => {
    const bytes = randomBytes(100_000);
    for (const name of ['one.bin', 'two.bin']) await writeFile(join(folder, name), bytes);
    const sent = await srs.run(['put', '--json', 'one.bin', 'two.bin']);
    const fileIds = sent.documents().map(({ fileId }) => String(fileId));
    const { stack } = await localServers();
    const { bucketName } = toCredentials('r2', stack.environment);
    const relocate = ['relocate', '--from', `r2/${bucketName}`, '--to', 'b2', '--file', ...fileIds];

    const estimated = await srs.run([...relocate, '--dry-run', '--json']);
    const estimate = estimated.document();
    assert.deepEqual([estimate['files'], estimate['bytes']], [2, 200_000], estimated.stderr);
    const unasked = await srs.run([...relocate, '--json']);
    assert.deepEqual([unasked.exitCode, unasked.failure()['code']], [2, 'not_confirmed']);
    const dear = await srs.run([...relocate, '--max-total-usd', '0', '--yes', '--json']);
    assert.deepEqual([dear.exitCode, dear.failure()['code']], [1, 'quote_exceeded']);
    assert.deepEqual((await srs.run(['relocations', '--json'])).document()['items'], []);

    const moved = await srs.run([...relocate, '--yes']);
    assert.equal(moved.exitCode, 0, moved.stderr);
    assert.match(
      moved.stderr,
      /^Move .*2 files.*\nCosts once .*\nStorage .*\nLinks .*\nCtrl-C does not/,
    );
    const said = moved.stdout.toString();
    assert.match(
      said,
      /^draining: r2\/.* to b2\/.*\nmoved {4}2 of 2 files.*\nskipped {2}0, 0 failed\n/,
    );
    const [, id = assert.fail(said)] = /srs relocation show (\S+)\n$/.exec(said) ?? [];
    assert.match((await srs.run(['relocation', 'show', id])).stdout.toString(), /^draining: /);
    const files = (await srs.run(['relocation', 'report', id])).documents().slice(0, 2);
    assert.ok(
      files.every(({ outcome, movedAt }) => outcome === 'moved' && movedAt),
      said,
    );
    const client = createClient({ baseUrl: environment['SRS_BASE_URL'] ?? '', apiKey });
    for (const fileId of fileIds) {
      assert.equal((await client.getFile(fileId)).provider, 'b2');
      assert.ok((await srs.run(['get', fileId, '-o', '-'])).stdout.equals(bytes));
    }
    const late = await srs.run(['relocation', 'cancel', id]);
    assert.match(late.stdout.toString(), /^draining: /);
    const listed = (await srs.run(['relocations'])).stdout.toString();
    assert.match(listed, new RegExp(`\n${id}  draining  100 %  `));
  });

  it('runs from the checkout too, in the folder that it is called from', async () => {
    await writeFile(join(folder, 'here.txt'), 'called from here');
    const checkout = commandLineIn(folder, environment, FROM_CHECKOUT);
    const ran = await checkout.run(['put', 'here.txt', '--json']);
    assert.deepEqual([ran.exitCode, ran.document()['file']], [0, 'here.txt'], ran.stderr);
  });

  if (process.platform === 'linux')
    it('opens the dashboard in the browser of the desktop', async () => {
      const browser = join(folder, 'browser');
      const opened = join(folder, 'opened');
      await writeFile(
        browser,
        `#!/bin/sh\necho "$1" > '${opened}.new'; mv '${opened}.new' '${opened}'\n`,
      );
      await chmod(browser, 0o755);
      const desktop = { DISPLAY: ':0', BROWSER: browser, XDG_DATA_DIRS: folder };
      const { url, opened: isOpen } = (await srs.run(['open', '--json'], desktop)).document();
      assert.equal(isOpen, true);
      const isThere = (): Promise<boolean> =>
        stat(opened).then(
          () => true,
          () => false,
        );
      assert.ok(await isSoon(isThere, { withinMs: 10_000 }));
      assert.equal((await readFile(opened, 'utf8')).trim(), url);
      assert.equal((await srs.run(['open', '--json'])).document()['opened'], false);
    });

  it('has never written a secret', () => {
    const written = srs.written();
    assert.ok(written.length > 10_000);
    for (const secret of secrets) assert.ok(!written.includes(secret));
    assert.doesNotMatch(written, /X-Amz-Signature=/i);
  });
});
