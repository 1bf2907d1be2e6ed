import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { safeName } from '../../../cli/src/io/destination.ts';
import { type FileInfo, StorageRoutingError } from '../../../sdk/src/index.ts';
import { emptyFolder, srs } from './terminal.ts';

const file = {
  fileId: 'f11e0000-0000-4000-8000-000000000001',
  fileName: 'a.txt',
  fileSizeBytes: 10,
  provider: 'r2',
};

/** A client with one file, whose body can break off. */
function holding(fileName = 'a.txt', failure?: Error) {
  return {
    download: () => {
      const body = ReadableStream.from(
        (async function* () {
          yield new TextEncoder().encode('hello');
          if (failure) throw failure;
          yield new TextEncoder().encode('world');
        })(),
      );
      return Promise.resolve({ file: { ...file, fileName } as FileInfo, body });
    },
  };
}

describe('srs get', () => {
  it('writes a file under its own name in the current folder', async () => {
    const folder = await emptyFolder();
    const ran = await srs(['get', 'f11e0000-0000-4000-8000-000000000001'], {
      client: holding(),
      workingFolder: folder,
    });
    assert.equal(ran.exitCode, 0);
    assert.deepEqual(await readdir(folder), ['a.txt']);
    assert.equal(await readFile(join(folder, 'a.txt'), 'utf8'), 'helloworld');
  });

  it('never leaves the folder for any file name of the service', async () => {
    const folder = await emptyFolder();
    const client = holding('../../../../tmp/\u001Bevil');
    const ran = await srs(['get', 'f11e0000-0000-4000-8000-000000000001', '--json'], {
      client,
      workingFolder: folder,
    });
    assert.deepEqual(await readdir(folder), ['_evil']);
    assert.equal(ran.documents()[0]?.['path'], join(folder, '_evil'));
  });

  for (const [name, safe] of [
    ['../../etc/passwd', 'passwd'],
    ['C:\\windows\\x.ini', 'x.ini'],
    ['.bashrc', '_bashrc'],
    ['..', 'other'],
    ['.', 'other'],
    ['a/', 'other'],
    ['', 'other'],
    ['a\u0000b:c', 'a_b_c'],
    ['nul.txt', '_nul.txt'],
    ['夏 の 海.mov', '夏 の 海.mov'],
    ['x'.repeat(300), 'x'.repeat(200)],
  ] as const) {
    it(`writes "${safe.slice(0, 20)}" for the name ${JSON.stringify(name).slice(0, 30)}`, () => {
      assert.equal(safeName(name, 'other'), safe);
    });
  }

  it('writes to the given path, or into the given folder', async () => {
    const folder = await emptyFolder();
    await srs(['get', 'f11e0000-0000-4000-8000-000000000001', '-o', join(folder, 'b')], {
      client: holding(),
    });
    await srs(['get', 'f11e0000-0000-4000-8000-000000000001', '-o', folder], { client: holding() });
    assert.deepEqual((await readdir(folder)).sort(), ['a.txt', 'b']);
  });

  it('writes bytes to standard output', async () => {
    const { stdout, exitCode } = await srs(
      ['get', 'f11e0000-0000-4000-8000-000000000001', '-o', '-'],
      { client: holding() },
    );
    assert.deepEqual([exitCode, stdout], [0, 'helloworld']);
  });

  it('replaces a file only with --force', async () => {
    const folder = await emptyFolder();
    const path = join(folder, 'a.txt');
    await writeFile(path, 'mine');
    for (const args of [[], ['-o', path]]) {
      const options = { client: holding(), workingFolder: folder };
      const ran = await srs(
        ['get', 'f11e0000-0000-4000-8000-000000000001', '--json', ...args],
        options,
      );
      assert.equal(ran.exitCode, 1);
      assert.equal(ran.failures()[0]?.['code'], 'file_exists');
    }
    assert.equal(await readFile(path, 'utf8'), 'mine');
    const forced = await srs(['get', 'f11e0000-0000-4000-8000-000000000001', '-f'], {
      client: holding(),
      workingFolder: folder,
    });
    assert.equal(forced.exitCode, 0);
    assert.equal(await readFile(path, 'utf8'), 'helloworld');
    assert.deepEqual(await readdir(folder), ['a.txt']);
  });

  it('replaces no device', async () => {
    const ran = await srs(
      ['get', 'f11e0000-0000-4000-8000-000000000001', '-f', '-o', '/dev/null', '--json'],
      { client: holding() },
    );
    assert.equal(ran.failures()[0]?.['code'], 'not_a_regular_file');
  });

  it('leaves no file after an incomplete download', async () => {
    const folder = await emptyFolder();
    const code = 'download_from_provider_failed';
    const failure = new StorageRoutingError({ code, message: 'cut' });
    const client = holding('a.txt', failure);
    const ran = await srs(['get', 'f11e0000-0000-4000-8000-000000000001'], {
      client,
      workingFolder: folder,
    });
    assert.equal(ran.exitCode, 6);
    assert.deepEqual(await readdir(folder), []);
  });

  it('prints no error after its reader closes the pipe', async () => {
    const stdout = new Writable({
      write: (_piece, _encoding, fail) =>
        fail(Object.assign(new Error('EPIPE'), { code: 'EPIPE' })),
    });
    const ran = await srs(['get', 'f11e0000-0000-4000-8000-000000000001', '-o', '-'], {
      client: holding(),
      stdout,
    });
    assert.deepEqual([ran.exitCode, ran.stderr], [0, '']);
  });

  it('refuses --json with "-o -"', async () => {
    const ran = await srs(['get', 'f11e0000-0000-4000-8000-000000000001', '-o', '-', '--json'], {
      client: holding(),
    });
    assert.equal(ran.exitCode, 2);
  });
});

const [A, B, SLOW, GONE] = [1, 2, 3, 4].map(
  (number) => `f11e0000-0000-4000-8000-00000000000${number}`,
) as [string, string, string, string];

describe('srs rm', () => {
  const client = {
    deleteFile: (fileId: string) =>
      fileId === GONE
        ? Promise.reject(
            new StorageRoutingError({ code: 'file_not_found', message: 'no', status: 404 }),
          )
        : Promise.resolve(
            fileId === SLOW
              ? { fileId, status: 'deleting' as const }
              : { fileId, status: 'deleted' as const, deletedAt: '2026-11-20T12:00:01.000Z' },
          ),
  };

  it('deletes each file, and marks pending deletes', async () => {
    const ran = await srs(['rm', A, SLOW], { client });
    assert.equal(ran.exitCode, 0);
    assert.match(ran.stdout, new RegExp(`^${A} {2}deleted\\n${SLOW} {2}deleting`));
  });

  it('continues after a failed delete', async () => {
    const ran = await srs(['rm', A, GONE, B, '--json'], { client });
    assert.equal(ran.exitCode, 3);
    assert.deepEqual(
      ran.documents().map(({ fileId }) => fileId),
      [A, B],
    );
    assert.deepEqual(ran.failures()[0], {
      error: 'no',
      code: 'file_not_found',
      status: 404,
      file: GONE,
    });
  });
});
