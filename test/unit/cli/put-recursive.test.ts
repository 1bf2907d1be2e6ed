import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { emptyFolder, refusal, srs } from './terminal.ts';
import { type Upload, uploader } from './uploads.ts';

/** A client that refuses the files of these names. */
const refusing = (codes: Readonly<Record<string, string>>) =>
  uploader(({ fileName = '' }) => {
    const code = codes[fileName];
    return code === undefined ? undefined : refusal(code);
  });

describe('srs put --recursive', () => {
  let folder: string;
  before(async () => {
    folder = await emptyFolder();
    await mkdir(join(folder, 'photos/2026/may'), { recursive: true });
    await mkdir(join(folder, 'photos/empty'));
    for (const name of ['b.jpg', '.hidden', '2026/a.png', '2026/may/a.png'])
      await writeFile(join(folder, 'photos', name), 'bytes');
    await symlink(join(folder, 'photos'), join(folder, 'photos/2026/loop'));
    await symlink(join(folder, 'photos/b.jpg'), join(folder, 'photos/linked.jpg'));
    await writeFile(join(folder, 'single.txt'), 'bytes');
  });

  /** Sends what is at these paths in the folder, one after the other. */
  const run = (names: string, { client } = uploader(), more: object = {}) => {
    const paths = names.split(' ').map((name) => join(folder, name));
    return srs(['put', '-r', '--concurrency', '1', ...paths], { client, ...more });
  };

  it('sends every file at any depth, by its path in the folder, and follows no link', async () => {
    const client = uploader();
    const ran = await run('photos', client);
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.deepEqual(client.names(), ['.hidden', '2026/a.png', '2026/may/a.png', 'b.jpg']);
    assert.equal(client.requests[1]?.source, join(folder, 'photos/2026/a.png'));
    assert.equal(client.requests[1]?.contentType, 'image/png');
    assert.equal(ran.stdout.trimEnd().split('\n').length, 4);
    const skipped = '2 skipped: links, and what is neither file nor folder';
    assert.equal(ran.stderr, `${skipped}\n4 of 4 files uploaded\n`);
  });

  it('takes files beside folders, and sends all of them again in a second run', async () => {
    const client = uploader();
    for (let times = 0; times < 2; times += 1) await run('single.txt photos/2026/may', client);
    assert.deepEqual(client.names(), ['single.txt', 'a.png', 'single.txt', 'a.png']);
  });

  for (const [code, name, exitCode, tried] of [
    ['unauthorized', '2026/a.png', 3, 2],
    ['unauthorized', '.hidden', 4, 1],
    ['plan_limit', '2026/a.png', 3, 2],
    ['plan_limit', '.hidden', 5, 1],
  ] as const)
    it(`ends with ${exitCode} by what no further file would escape: ${code} of file ${tried}`, async () => {
      const client = refusing({ [name]: code });
      const ran = await run('photos', client);
      assert.deepEqual([ran.exitCode, client.requests.length], [exitCode, tried]);
      const said = `\n${tried - 1} of 4 files uploaded, ${4 - tried} not tried\n`;
      if (tried > 1) assert.ok(ran.stderr.endsWith(said), ran.stderr);
    });

  it('draws files, bytes, rate and the time left', async () => {
    let nowMs = 0;
    const now = () => (nowMs += 500);
    const { stderr } = await run('photos', uploader(), { isTerminal: true, now });
    assert.match(stderr, /25 % {2}5 bytes of 20 bytes, 0\/4 files, \d+ bytes\/s, \d+ s left/);
    assert.match(stderr, /100 % {2}20 bytes of 20 bytes, 4\/4 files/);
  });

  it('tells of a rate limit once', async () => {
    const error = refusal('rate_limited');
    const given = uploader();
    const upload: Upload = async (request) => {
      request.onRetry?.({ error, attempt: 1, waitMs: 60_500 });
      return await given.client.upload(request);
    };
    const ran = await run('photos/2026', { ...given, client: { upload } });
    assert.match(ran.stderr, /^because of rate_limited; tries again in 1 min 1 s\n1 skipped/);
  });

  for (const [command, exitCode, said] of [
    ['put photos', 2, /photos is a folder: srs put --recursive sends what is in it/],
    ['put -r photos/empty', 2, /no file in these folders/],
    ['put -r --name a photos', 2, /keep their names/],
    ['put -r -', 2, /"-" is no folder/],
    ['put -r --json photos/nowhere', 1, /"code":"file_failed"/],
  ] as const)
    it(`refuses before anything is sent: srs ${command}`, async () => {
      const { client, requests } = uploader();
      const args = command.split(' ');
      const given = args.map((arg) => (arg.startsWith('photos') ? join(folder, arg) : arg));
      const ran = await srs(given, { client });
      assert.deepEqual([ran.exitCode, requests], [exitCode, []]);
      assert.match(ran.stderr, said);
    });
});
