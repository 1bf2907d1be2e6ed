import assert from 'node:assert/strict';
import { readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { StorageRoutingError, type StorageRoutingClient } from '../../../sdk/src/index.ts';
import { emptyFolder, srs } from './terminal.ts';

type Upload = StorageRoutingClient['upload'];
type Request = Parameters<Upload>[0];

const done = {
  fileId: 'f11e0000-0000-4000-8000-000000000001',
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

describe('srs put', () => {
  let paths: string[];
  before(async () => {
    const folder = await emptyFolder();
    paths = ['a.png', 'b.csv', 'c.unheardof'].map((name) => join(folder, name));
    for (const path of paths) await writeFile(path, 'bytes');
  });

  it('sends each file with the media type of its name', async () => {
    const { client, requests } = uploader();
    const { exitCode, stdout } = await srs(['put', ...paths], { client });
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
    assert.match(
      stdout,
      /^f11e0000-0000-4000-8000-000000000001 {2}r2 {2}5 B {2}saves \$0\.090240 a month {2}\S+a\.png\n/,
    );
  });

  it('passes priority, type and name', async () => {
    const { client, requests } = uploader();
    const args = ['-p', 'archive', '--content-type', 'text/x', '--name', 'other.bin'];
    await srs(['put', ...args, paths[0] ?? ''], { client });
    const { contentType, priority, fileName } = requests[0] ?? assert.fail();
    assert.deepEqual([contentType, priority, fileName], ['text/x', 'archive', 'other.bin']);
  });

  it('continues after a failed file, and ends with 3', async () => {
    const { client, requests } = uploader(({ source }) =>
      source === paths[0] ? refused('file_too_large', 400) : undefined,
    );
    const ran = await srs(['put', '--json', ...paths], { client });
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
      assert.equal((await srs(['put', ...paths], { client })).exitCode, exitCode);
    });
  }

  it('ends with 1 where all fail for different reasons', async () => {
    const { client } = uploader(({ source }) =>
      source === paths[0] ? refused('unavailable', 503) : refused('file_too_large', 400),
    );
    assert.equal((await srs(['put', ...paths], { client })).exitCode, 1);
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
    await srs(['put', '--concurrency', '2', ...paths, ...paths], { client: { upload } });
    assert.equal(most, 2);
  });

  it('streams standard input of a given size', async () => {
    let sent = '';
    const upload: Upload = async ({ source, fileName, fileSizeBytes }) => {
      assert.deepEqual([fileName, fileSizeBytes], ['x.txt', 10]);
      for await (const piece of source as Readable) sent += String(piece);
      return done;
    };
    const args = ['put', '-', '--name', 'x.txt', '--size', '10'];
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
    const args = ['put', '-', '--name', 'x.txt'];
    const { exitCode } = await srs(args, { client: { upload }, input: ['hello', 'world'] });
    assert.equal(exitCode, 0);
    await assert.rejects(readFile(path), { code: 'ENOENT' });
  });

  for (const args of [
    ['put'],
    ['put', '-'],
    ['put', '-', '-', '--name', 'x'],
    ['put', 'a', 'b', '--name', 'x'],
    ['put', 'a', '--size', '5'],
    ['put', 'a', '--priority', 'warm'],
    ['put', 'a', '--concurrency', '0'],
    ['put', 'a', '--parts', '33'],
    ['put', 'a', '--unknown'],
    ['put', 'a', '--accept-modified'],
    ['put', 'a', 'b', '--resume', 'f11e0000-0000-4000-8000-000000000001'],
    ['put', 'a', '--resume', 'f11e0000-0000-4000-8000-000000000001', '--name', 'x'],
    ['put', 'a', '--resume', 'f11e0000-0000-4000-8000-000000000001', '--priority', 'hot'],
    ['put', '-', '--resume', 'f11e0000-0000-4000-8000-000000000001', '--size', '5'],
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
    const { stdout } = await srs(['put', 'a\u001B[2J\u202E.png'], { client });
    assert.match(stdout, /a\\u\{1b\}\[2J\\u\{202e\}\.png/);
  });

  it('says how to continue when it is interrupted', async () => {
    const ending = new AbortController();
    const upload: Upload = () => {
      ending.abort(new Error('interrupted'));
      const error = refused('aborted');
      error.fileId = 'f11e0000-0000-4000-8000-000000000009';
      return Promise.reject(error);
    };
    const args = ['put', '--concurrency', '1', ...paths];
    const ran = await srs(args, { client: { upload }, signal: ending.signal });
    assert.equal(ran.exitCode, 130);
    assert.match(
      ran.stderr,
      /\nto continue: srs put --resume f11e0000-0000-4000-8000-000000000009 \S+a\.png\n/,
    );
    assert.equal(ran.stderr.match(/because of aborted/g)?.length, 1);
  });

  it('is known as "srs upload" too', async () => {
    const { client, requests } = uploader();
    const { exitCode } = await srs(['upload', ...paths], { client });
    assert.deepEqual([exitCode, requests.length], [0, 3]);
  });

  it('says at the beginning of a large file how to continue with it', async () => {
    const upload = (multipart: boolean): Upload => {
      return ({ onStarted }) => {
        onStarted?.({ fileId: 'f11e0000-0000-4000-8000-000000000001', provider: 'r2', multipart });
        return Promise.resolve(done);
      };
    };
    const parts = await srs(['put', 'my film.mp4'], { client: { upload: upload(true) } });
    assert.match(
      parts.stderr,
      /; after an interruption: srs put --resume f11e0000-0000-4000-8000-000000000001 'my film\.mp4'\n/,
    );
    const single = await srs(['put', 'a.png'], { client: { upload: upload(false) } });
    assert.equal(single.stderr, '');
    const json = await srs(['put', '--json', 'a.png'], { client: { upload: upload(true) } });
    assert.equal(json.stderr, '');
  });

  for (const [path, shown] of [
    ['plain-1.bin', 'plain-1.bin'],
    ['it is.bin', "'it is.bin'"],
    ["it's.bin", "'it'\\''s.bin'"],
    ['$(x).bin', "'$(x).bin'"],
    ['./-x', './-x'],
    ['-', '-'],
  ] as const) {
    it(`names ${path} so that a shell reads it: ${shown}`, async () => {
      const { client } = uploader(() =>
        Object.assign(refused('timeout'), { fileId: 'f11e0000-0000-4000-8000-000000000009' }),
      );
      const stdin = path === '-' ? ['--name', 'x', '--size', '0'] : [];
      const { stderr } = await srs(['put', path, ...stdin], { client });
      assert.ok(
        stderr.endsWith(`: srs put --resume f11e0000-0000-4000-8000-000000000009 ${shown}\n`),
        stderr,
      );
    });
  }

  it('repeats the address of the service in that command', async () => {
    const { client } = uploader(() =>
      Object.assign(refused('timeout'), { fileId: 'f11e0000-0000-4000-8000-000000000009' }),
    );
    const { stderr } = await srs(['put', 'a', '--base-url', 'https://other.example'], { client });
    assert.match(
      stderr,
      /srs put --base-url https:\/\/other\.example --resume f11e0000-0000-4000-8000-000000000009 a\n$/,
    );
  });

  for (const code of ['file_expired', 'file_deleted', 'source_changed']) {
    it(`does not say how to continue after ${code}`, async () => {
      const { client } = uploader(() =>
        Object.assign(refused(code), { fileId: 'f11e0000-0000-4000-8000-000000000009' }),
      );
      assert.doesNotMatch((await srs(['put', 'a'], { client })).stderr, /to continue/);
    });
  }

  it('sends as many parts at a time as it is told', async () => {
    const { client, requests } = uploader();
    await srs(['put', 'a'], { client });
    await srs(['put', 'a', '--parts', '9'], { client });
    assert.deepEqual(
      requests.map(({ parallelParts }) => parallelParts),
      [4, 9],
    );
  });

  it('shows confirmed bytes, files, speed and the time left', async () => {
    let nowMs = 0;
    const upload: Upload = ({ onProgress }) => {
      for (const confirmedBytes of [0, 1_000_000, 3_000_000]) {
        nowMs += 1_000;
        onProgress?.({ sentBytes: 4_000_000, confirmedBytes, totalBytes: 100_000_000 });
      }
      return Promise.resolve(done);
    };
    const path = join(await emptyFolder(), 'large.bin');
    await writeFile(path, '');
    await truncate(path, 100_000_000);
    const options = { client: { upload }, isTerminal: true, now: () => nowMs };
    const { stderr } = await srs(['put', path], options);
    assert.match(stderr, /   3 %  3\.0 MB of 100\.0 MB, 0\/1 files, 1\.0 MB\/s, 1 min 37 s left/);
  });
});

describe('srs put --resume', () => {
  type Resume = StorageRoutingClient['resume'];
  const { savedVsAws: _, savedVsAwsFixed: __, ...completed } = done;

  it('goes on with a file, and prints what it has become', async () => {
    const resumed: Parameters<Resume>[] = [];
    const resume: Resume = (...given) => {
      resumed.push(given);
      return Promise.resolve(completed);
    };
    const args = [
      'put',
      '--resume',
      'f11e0000-0000-4000-8000-000000000001',
      'a.bin',
      '--parts',
      '2',
    ];
    const ran = await srs(args, { client: { resume } });
    assert.deepEqual(
      [ran.exitCode, ran.stdout],
      [0, 'f11e0000-0000-4000-8000-000000000001  r2  5 B  a.bin\n'],
    );
    const [fileId, source, options] = resumed[0] ?? assert.fail();
    assert.deepEqual(
      [fileId, source, options?.parallelParts],
      ['f11e0000-0000-4000-8000-000000000001', 'a.bin', 2],
    );
    assert.equal(options?.acceptModified, undefined);
    const accepting = [...args, '--accept-modified', '--json'];
    const json = await srs(accepting, { client: { resume } });
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
    const { exitCode } = await srs(
      ['put', '--resume', 'f11e0000-0000-4000-8000-000000000001', '-'],
      options,
    );
    assert.deepEqual([exitCode, sent], [0, 'helloworld']);
  });

  it('measures the speed of this run only', async () => {
    let nowMs = 0;
    const resume: Resume = (_fileId, _source, { onProgress } = {}) => {
      for (const confirmedBytes of [90_000_000, 91_000_000]) {
        nowMs += 500;
        onProgress?.({ sentBytes: confirmedBytes, confirmedBytes, totalBytes: 100_000_000 });
      }
      return Promise.resolve(completed);
    };
    const options = { client: { resume }, isTerminal: true, now: () => nowMs };
    const { stderr } = await srs(
      ['put', '--resume', 'f11e0000-0000-4000-8000-000000000001', 'a'],
      options,
    );
    assert.match(stderr, /  91 %  91\.0 MB of 100\.0 MB, 0\/1 files, 1\.0 MB\/s, 9 s left/);
  });

  it('fails with the code of the service, and says how to continue again', async () => {
    const resume: Resume = () =>
      Promise.reject(
        Object.assign(refused('unavailable', 503), {
          fileId: 'f11e0000-0000-4000-8000-000000000001',
        }),
      );
    const ran = await srs(['put', '--resume', 'f11e0000-0000-4000-8000-000000000001', 'a'], {
      client: { resume },
    });
    assert.equal(ran.exitCode, 6);
    assert.match(
      ran.stderr,
      /to continue: srs put --resume f11e0000-0000-4000-8000-000000000001 a\n$/,
    );
  });
});
