import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StorageRoutingError, type StorageRoutingClient } from '../../../sdk/src/index.ts';
import { emptyFolder, srs } from './terminal.ts';

type Upload = StorageRoutingClient['upload'];
type Request = Parameters<Upload>[0];

/** A client that refuses the files of these names, and records what was asked for. */
function uploader(refused: Readonly<Record<string, string>> = {}) {
  const requests: Request[] = [];
  const upload: Upload = async (request) => {
    requests.push(request);
    const code = refused[request.fileName ?? ''];
    if (code !== undefined) throw new StorageRoutingError({ code, message: `because of ${code}` });
    request.onProgress?.({ sentBytes: 5, totalBytes: 5 });
    return {
      fileId: 'f11e0000-0000-4000-8000-000000000001',
      status: 'active',
      provider: 'r2',
      fileSizeBytes: 5,
      completedAt: '2026-11-20T12:00:01.000Z',
      savedVsAws: 0,
      savedVsAwsFixed: '0.000000',
    };
  };
  const names = (): (string | undefined)[] => requests.map(({ fileName }) => fileName);
  return { client: { upload }, requests, names };
}

describe('srs put --recursive', () => {
  let folder: string;
  before(async () => {
    folder = await emptyFolder();
    await mkdir(join(folder, 'photos/2026/may'), { recursive: true });
    await mkdir(join(folder, 'photos/empty'));
    for (const name of ['b.jpg', '.hidden', '2026/a.png', '2026/may/a.png']) {
      await writeFile(join(folder, 'photos', name), 'bytes');
    }
    await symlink(join(folder, 'photos'), join(folder, 'photos/2026/loop'));
    await symlink(join(folder, 'photos/b.jpg'), join(folder, 'photos/linked.jpg'));
    await writeFile(join(folder, 'single.txt'), 'bytes');
  });

  const run = (args: readonly string[], client = uploader()) =>
    srs(['put', '--recursive', '--concurrency', '1', ...args], { client: client.client });

  it('sends every file at any depth, by its path in the folder, and follows no link', async () => {
    const client = uploader();
    const ran = await run([join(folder, 'photos')], client);
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.deepEqual(client.names(), ['.hidden', '2026/a.png', '2026/may/a.png', 'b.jpg']);
    assert.equal(client.requests[1]?.source, join(folder, 'photos/2026/a.png'));
    assert.equal(client.requests[1]?.contentType, 'image/png');
    assert.equal(ran.stdout.trimEnd().split('\n').length, 4);
    assert.equal(
      ran.stderr,
      '2 skipped: links, and what is neither file nor folder\n4 of 4 files uploaded\n',
    );
  });

  it('takes files beside folders', async () => {
    const client = uploader();
    await run([join(folder, 'single.txt'), join(folder, 'photos/2026/may')], client);
    assert.deepEqual(client.names(), ['single.txt', 'a.png']);
  });

  it('lists each failure, goes on with the others, and ends with 3', async () => {
    const client = uploader({ '2026/a.png': 'provider_error' });
    const ran = await run([join(folder, 'photos')], client);
    assert.equal(ran.exitCode, 3);
    assert.equal(client.requests.length, 4);
    const path = join(folder, 'photos/2026/a.png');
    assert.match(ran.stderr, new RegExp(`^srs: ${path}: because of provider_error\n`));
    assert.match(ran.stderr, new RegExp(`\nfailed: ${path}\n3 of 4 files uploaded\n$`));
    const json = await run(['--json', join(folder, 'photos')], uploader({ 'b.jpg': 'x' }));
    assert.deepEqual(
      json.failures().map(({ file }) => file),
      [join(folder, 'photos/b.jpg')],
    );
    assert.equal(json.documents().length, 3);
  });

  for (const [code, exitCode] of [
    ['unauthorized', 4],
    ['plan_limit', 5],
  ] as const) {
    it(`ends with what no further file would escape: ${code}`, async () => {
      const client = uploader({ '2026/a.png': code });
      const ran = await run([join(folder, 'photos')], client);
      assert.equal(client.requests.length, 2);
      assert.equal(ran.exitCode, 3);
      assert.match(ran.stderr, /\n1 of 4 files uploaded, 2 not tried\n$/);
      const first = uploader({ '.hidden': code });
      assert.equal((await run([join(folder, 'photos')], first)).exitCode, exitCode);
      assert.equal(first.requests.length, 1);
    });
  }

  it('sends all of them again in a second run', async () => {
    const client = uploader();
    await run([join(folder, 'photos/2026')], client);
    await run([join(folder, 'photos/2026')], client);
    assert.equal(client.requests.length, 4);
    const { stdout } = await srs(['put', '--help']);
    assert.match(stdout, /A second run sends the same files again, each as a new file/);
  });

  it('draws files, bytes, rate and the time left', async () => {
    let nowMs = 0;
    const { stderr } = await srs(
      ['put', '--recursive', '--concurrency', '1', join(folder, 'photos')],
      {
        client: uploader().client,
        isTerminal: true,
        now: () => (nowMs += 500),
      },
    );
    assert.match(stderr, /25 % {2}5 B of 20 B, 0\/4 files, \d+ B\/s, \d+ s left/);
    assert.match(stderr, /100 % {2}20 B of 20 B, 4\/4 files/);
  });

  it('tells of a rate limit once', async () => {
    const error = new StorageRoutingError({ code: 'rate_limited', message: 'too many calls' });
    const client = uploader();
    const upload: Upload = async (request) => {
      request.onRetry?.({ error, attempt: 1, waitMs: 60_500 });
      return await client.client.upload(request);
    };
    const args = ['put', '--recursive', '--concurrency', '1', join(folder, 'photos/2026')];
    const ran = await srs(args, { client: { upload } });
    assert.match(ran.stderr, /^too many calls; tries again in 1 min 1 s\n1 skipped/);
  });

  for (const [args, said] of [
    [['put', 'photos'], /photos is a folder: srs put --recursive sends what is in it/],
    [['put', '-r', 'photos/empty'], /no file in these folders/],
    [['put', '-r', '--name', 'a', 'photos'], /keep their names/],
    [['put', '-r', '-'], /"-" is no folder/],
  ] as const) {
    it(`refuses before anything is sent: srs ${args.join(' ')}`, async () => {
      const client = uploader();
      const given = args.map((arg) => (arg.startsWith('photos') ? join(folder, arg) : arg));
      const ran = await srs(given, { client: client.client });
      assert.equal(ran.exitCode, 2);
      assert.match(ran.stderr, said);
      assert.equal(client.requests.length, 0);
    });
  }

  it('fails where a folder does not exist', async () => {
    const ran = await run(['--json', join(folder, 'nowhere')]);
    assert.deepEqual([ran.exitCode, ran.failures()[0]?.['code']], [1, 'file_failed']);
  });
});
