import assert from 'node:assert/strict';
import { readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { StorageRoutingClient } from '../../../sdk/src/index.ts';
import { emptyFolder, type FakeClient, FILE_ID, refusal, srs } from './terminal.ts';
import { completed, done, type Upload, uploader } from './uploads.ts';

type Resume = StorageRoutingClient['resume'];

describe('srs put', () => {
  let paths: string;
  let first: string;
  before(async () => {
    const folder = await emptyFolder();
    const all = ['a.png', 'b.csv', 'c\u001B[2J\u202E.unheardof'].map((name) => join(folder, name));
    for (const path of all) await writeFile(path, 'bytes');
    [first = ''] = all;
    paths = all.join(' ');
  });

  for (const command of ['put', 'upload']) {
    it(`sends each file with the media type of its name: srs ${command}`, async () => {
      const { client, requests } = uploader();
      const { exitCode, stdout } = await srs(`${command} ${paths}`, { client });
      assert.equal(exitCode, 0);
      const sent = requests.map(({ contentType, priority }) => `${contentType} ${priority}`);
      assert.deepEqual(sent, ['image/png hot', 'text/csv hot', 'application/octet-stream hot']);
      assert.equal(stdout.split('\n').length, 4);
      assert.match(stdout, /c\\u\{1b\}\[2J\\u\{202e\}\.unheardof/);
      assert.match(stdout, /^f11e\S+ {2}r2 {2}5 bytes {2}saves \$0\.09 a month {2}\S+a\.png\n/);
    });
  }

  it('passes priority, type, name and how many parts to send at a time', async () => {
    const { client, requests } = uploader();
    const options = '-p archive --content-type text/x --name other.bin --parts 9';
    await srs(`put ${options} ${first}`, { client });
    await srs('put a', { client });
    const { contentType, priority, fileName } = requests[0] ?? assert.fail();
    assert.deepEqual([contentType, priority, fileName], ['text/x', 'archive', 'other.bin']);
    assert.deepEqual([requests[0]?.parallelParts, requests[1]?.parallelParts], [9, 4]);
  });

  it('continues after a failed file, and says of it what the service said', async () => {
    const error = Object.assign(refusal('file_too_large', 400), { requestId: 'r-1' });
    const { client, requests } = uploader(({ source }) => (source === first ? error : undefined));
    const ran = await srs(`put --json ${paths}`, { client });
    assert.deepEqual([ran.exitCode, requests.length, ran.documents().length], [3, 3, 2]);
    const said = { error: 'because of file_too_large', code: 'file_too_large', status: 400 };
    assert.deepEqual(ran.failures(), [{ ...said, requestId: 'r-1', file: first }]);
  });

  for (const [code, status, exitCode] of [
    ['unauthorized', 401, 4],
    ['plan_limit', 402, 5],
    ['unavailable', 503, 6],
    ['connection_failed', undefined, 6],
    ['timeout', undefined, 6],
    ['rate_limited', 429, 6],
    ['upload_to_provider_failed', undefined, 6],
    ['upload_to_provider_failed', 503, 6],
    ['upload_to_provider_failed', 401, 1],
    ['provider_error', 502, 1],
    ['invalid_response', 502, 6],
    ['invalid_response', 200, 1],
    ['invalid_request', 400, 1],
    ['invalid_argument', undefined, 2],
    ['a_code_of_tomorrow', 418, 1],
  ] as const) {
    it(`ends with ${exitCode} where all fail by ${code} ${status ?? ''}`, async () => {
      const { client } = uploader(() => refusal(code, status));
      assert.equal((await srs(`put ${paths}`, { client })).exitCode, exitCode);
    });
  }

  it('ends with 1 where all fail for different reasons', async () => {
    const [away, large] = [refusal('unavailable', 503), refusal('file_too_large', 400)];
    const { client } = uploader(({ source }) => (source === first ? away : large));
    assert.equal((await srs(`put ${paths}`, { client })).exitCode, 1);
  });

  it('limits parallel uploads to --concurrency', async () => {
    let running = 0;
    let most = 0;
    const upload: Upload = async () => {
      most = Math.max(most, (running += 1));
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return done;
    };
    await srs(`put --concurrency 2 ${paths} ${paths}`, { client: { upload } });
    assert.equal(most, 2);
  });

  it('spools standard input of unknown size to a temporary file, and removes it', async () => {
    let path = '';
    const upload: Upload = async ({ source }) => {
      path = typeof source === 'string' ? source : assert.fail();
      assert.equal(await readFile(path, 'utf8'), 'helloworld');
      return done;
    };
    const options = { client: { upload }, input: ['hello', 'world'] };
    assert.equal((await srs('put - --name x.txt', options)).exitCode, 0);
    await assert.rejects(readFile(path), { code: 'ENOENT' });
  });

  it('says how to continue when it is interrupted', async () => {
    const ending = new AbortController();
    const { client } = uploader(() => {
      ending.abort(new Error('interrupted'));
      return refusal('aborted', undefined, FILE_ID);
    });
    const ran = await srs(`put --concurrency 1 ${paths}`, { client, signal: ending.signal });
    assert.equal(ran.exitCode, 130);
    assert.match(ran.stderr, /\nto continue: srs put --resume f11e\S+ \S+a\.png\n/);
    assert.equal(ran.stderr.match(/because of aborted/g)?.length, 1);
  });

  it('says at the beginning of a large file how to continue with it', async () => {
    const run = (multipart: boolean, ...options: string[]) => {
      const upload: Upload = async ({ onStarted }) => {
        onStarted?.({ fileId: FILE_ID, provider: 'r2', multipart });
        return done;
      };
      return srs(['put', ...options, 'my film.mp4'], { client: { upload } });
    };
    const { stderr } = await run(true);
    const command = `srs put --resume ${FILE_ID} 'my film.mp4'`;
    assert.ok(stderr.includes(`; after an interruption: ${command}\n`), stderr);
    for (const ran of [await run(false), await run(true, '--json')]) assert.equal(ran.stderr, '');
  });

  const cut = uploader(() => refusal('timeout', undefined, FILE_ID));
  for (const [shown, ...args] of [
    ['plain-1.bin', 'plain-1.bin'],
    ["'it is.bin'", 'it is.bin'],
    ["'it'\\''s.bin'", "it's.bin"],
    ["'$(x).bin'", '$(x).bin'],
    ['./-x', './-x'],
    ['-', '-', '--name', 'x', '--size', '0'],
  ])
    it(`names the file so that a shell reads it: ${shown}`, async () => {
      const { stderr } = await srs(['put', ...args], cut);
      assert.ok(stderr.endsWith(`: srs put --resume ${FILE_ID} ${shown}\n`), stderr);
    });

  it('repeats the address of the service in that command, and gives none for what is over', async () => {
    const address = '--base-url https://other.example';
    const { stderr } = await srs(`put a ${address}`, cut);
    assert.ok(stderr.endsWith(`srs put ${address} --resume ${FILE_ID} a\n`), stderr);
    for (const code of ['file_expired', 'file_deleted', 'source_changed']) {
      const { client } = uploader(() => refusal(code, undefined, FILE_ID));
      assert.doesNotMatch((await srs('put a', { client })).stderr, /to continue/);
    }
  });

  it('shows confirmed bytes, files, speed and the time left, of this run only', async () => {
    const path = join(await emptyFolder(), 'large.bin');
    await writeFile(path, '');
    await truncate(path, 100_000_000);
    const totalBytes = 100_000_000;
    const anew = / {3}3 % {2}3 MB of 100 MB, 0\/1 files, 1 MB\/s, 1 min 37 s left/;
    const resumed = / {2}92 % {2}92 MB of 100 MB, 0\/1 files, 667 KB\/s, 12 s left/;
    for (const [options, confirmed, shown] of [
      ['', [0, 1e6, 3e6], anew],
      [`--resume ${FILE_ID}`, [90e6, 91e6, 92e6], resumed],
    ] as const) {
      let nowMs = 0;
      const send = (onProgress: Parameters<Upload>[0]['onProgress']) => {
        for (const confirmedBytes of confirmed) {
          nowMs += 1_000;
          onProgress?.({ sentBytes: confirmedBytes, confirmedBytes, totalBytes });
        }
        return Promise.resolve(done);
      };
      const client: FakeClient = {
        upload: ({ onProgress }) => send(onProgress),
        resume: (_fileId, _source, { onProgress } = {}) => send(onProgress),
      };
      const given = { client, isTerminal: true, now: () => nowMs };
      assert.match((await srs(`put ${options} ${path}`, given)).stderr, shown);
    }
  });
});

describe('srs put --resume', () => {
  const command = `put --resume ${FILE_ID}`;

  it('goes on with a file, and prints what it has become', async () => {
    const resumed: Parameters<Resume>[] = [];
    const resume: Resume = async (...given) => {
      resumed.push(given);
      return completed;
    };
    const ran = await srs(`${command} a.bin --parts 2`, { client: { resume } });
    assert.deepEqual([ran.exitCode, ran.stdout], [0, `${FILE_ID}  r2  5 bytes  a.bin\n`]);
    const [fileId, source, options] = resumed[0] ?? assert.fail();
    assert.deepEqual([fileId, source, options?.parallelParts], [FILE_ID, 'a.bin', 2]);
    assert.equal(options?.acceptModified, undefined);
    const json = await srs(`${command} a.bin --accept-modified --json`, { client: { resume } });
    assert.deepEqual(json.documents(), [{ file: 'a.bin', ...completed }]);
    assert.equal(resumed[1]?.[2]?.acceptModified, true);
  });

  it('reads standard input from its beginning', async () => {
    let sent = '';
    const resume: Resume = async (_fileId, source) => {
      for await (const piece of source as Readable) sent += String(piece);
      return completed;
    };
    const options = { client: { resume }, input: ['hello', 'world'] };
    const { exitCode } = await srs(`${command} -`, options);
    assert.deepEqual([exitCode, sent], [0, 'helloworld']);
  });

  it('fails with the code of the service, and says how to continue again', async () => {
    const resume: Resume = () => Promise.reject(refusal('unavailable', 503, FILE_ID));
    const { exitCode, stderr } = await srs(`${command} a`, { client: { resume } });
    assert.equal(exitCode, 6);
    assert.ok(stderr.endsWith(`to continue: srs put --resume ${FILE_ID} a\n`), stderr);
  });
});
