import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { StorageRoutingError, type StorageRoutingClient } from '../../../sdk/src/index.ts';
import { emptyFolder, srs } from './terminal.ts';

type Upload = StorageRoutingClient['upload'];
type Request = Parameters<Upload>[0];

const done = {
  fileId: 'f-1',
  status: 'active',
  provider: 'r2',
  fileSizeBytes: 5,
  completedAt: '2026-11-20T12:00:01.000Z',
  savedVsAws: 0.09024,
  savedVsAwsFixed: '0.090240',
} as const;

const refused = (code: string, status?: number) =>
  new StorageRoutingError({ code, message: `because of ${code}`, status, requestId: 'r-1' });

/** A client that records the requested uploads. */
function uploader(outcome: (request: Request) => Error | undefined = () => undefined) {
  const requests: Request[] = [];
  const upload: Upload = (request) => {
    requests.push(request);
    const error = outcome(request);
    return error === undefined ? Promise.resolve(done) : Promise.reject(error);
  };
  return { client: { upload }, requests };
}

describe('srs upload', () => {
  let paths: string[];
  before(async () => {
    const folder = await emptyFolder();
    paths = ['a.png', 'b.csv', 'c.unheardof'].map((name) => join(folder, name));
    for (const path of paths) await writeFile(path, 'bytes');
  });

  it('sends each file with the media type of its name', async () => {
    const { client, requests } = uploader();
    const { exitCode, stdout } = await srs(['upload', ...paths], { client });
    assert.equal(exitCode, 0);
    assert.deepEqual(
      requests.map(({ contentType, priority }) => [contentType, priority]),
      [
        ['image/png', 'hot'],
        ['text/csv', 'hot'],
        ['application/octet-stream', 'hot'],
      ],
    );
    assert.equal(stdout.split('\n').length, 4);
    assert.match(stdout, /^f-1 {2}r2 {2}5 B {2}saves \$0\.090240 a month {2}\S+a\.png\n/);
  });

  it('passes priority, type and name', async () => {
    const { client, requests } = uploader();
    const args = ['-p', 'archive', '--content-type', 'text/x', '--name', 'other.bin'];
    await srs(['upload', ...args, paths[0] ?? ''], { client });
    const { contentType, priority, fileName } = requests[0] ?? assert.fail();
    assert.deepEqual([contentType, priority, fileName], ['text/x', 'archive', 'other.bin']);
  });

  it('continues after a failed file, and ends with 3', async () => {
    const { client, requests } = uploader(({ source }) =>
      source === paths[0] ? refused('file_too_large', 400) : undefined,
    );
    const ran = await srs(['upload', '--json', ...paths], { client });
    assert.equal(ran.exitCode, 3);
    assert.equal(requests.length, 3);
    assert.deepEqual(
      ran.documents().map(({ file }) => file),
      paths.slice(1),
    );
    assert.deepEqual(ran.failures(), [
      {
        error: 'because of file_too_large',
        code: 'file_too_large',
        status: 400,
        requestId: 'r-1',
        file: paths[0],
      },
    ]);
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
      const { client } = uploader(() => refused(code, status));
      assert.equal((await srs(['upload', ...paths], { client })).exitCode, exitCode);
    });
  }

  it('ends with 1 where all fail for different reasons', async () => {
    const { client } = uploader(({ source }) =>
      source === paths[0] ? refused('unavailable', 503) : refused('file_too_large', 400),
    );
    assert.equal((await srs(['upload', ...paths], { client })).exitCode, 1);
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
    await srs(['upload', '--concurrency', '2', ...paths, ...paths], { client: { upload } });
    assert.equal(most, 2);
  });

  it('streams standard input of a given size', async () => {
    let sent = '';
    const upload: Upload = async ({ source, fileName, fileSizeBytes }) => {
      assert.deepEqual([fileName, fileSizeBytes], ['x.txt', 10]);
      for await (const piece of source as Readable) sent += String(piece);
      return done;
    };
    const args = ['upload', '-', '--name', 'x.txt', '--size', '10'];
    const { exitCode } = await srs(args, { client: { upload }, input: ['hello', 'world'] });
    assert.deepEqual([exitCode, sent], [0, 'helloworld']);
  });

  it('spools standard input of unknown size to a temporary file, and removes it', async () => {
    let path = '';
    const upload: Upload = async ({ source }) => {
      path = typeof source === 'string' ? source : assert.fail();
      assert.equal(await readFile(path, 'utf8'), 'helloworld');
      return done;
    };
    const args = ['upload', '-', '--name', 'x.txt'];
    const { exitCode } = await srs(args, { client: { upload }, input: ['hello', 'world'] });
    assert.equal(exitCode, 0);
    await assert.rejects(readFile(path), { code: 'ENOENT' });
  });

  for (const args of [
    ['upload'],
    ['upload', '-'],
    ['upload', '-', '-', '--name', 'x'],
    ['upload', 'a', 'b', '--name', 'x'],
    ['upload', 'a', '--size', '5'],
    ['upload', 'a', '--priority', 'warm'],
    ['upload', 'a', '--concurrency', '0'],
    ['upload', 'a', '--unknown'],
  ]) {
    it(`refuses: srs ${args.join(' ')}`, async () => {
      const { client, requests } = uploader();
      const ran = await srs([...args, '--json'], { client });
      assert.equal(ran.exitCode, 2);
      assert.equal(ran.failures()[0]?.['code'], 'wrong_usage');
      assert.equal(requests.length, 0);
    });
  }

  it('escapes control characters in file names', async () => {
    const { client } = uploader();
    const { stdout } = await srs(['upload', 'a\u001B[2J\u202E.png'], { client });
    assert.match(stdout, /a\\u\{1b\}\[2J\\u\{202e\}\.png/);
  });

  it('names the incomplete file when it is interrupted', async () => {
    const ending = new AbortController();
    const upload: Upload = () => {
      ending.abort(new Error('interrupted'));
      const error = refused('aborted');
      error.fileId = 'f-9';
      return Promise.reject(error);
    };
    const args = ['upload', '--concurrency', '1', ...paths];
    const ran = await srs(args, { client: { upload }, signal: ending.signal });
    assert.equal(ran.exitCode, 130);
    assert.match(ran.stderr, /file f-9 was not finished; it expires by itself/);
    assert.equal(ran.stderr.match(/because of aborted/g)?.length, 1);
  });
});
