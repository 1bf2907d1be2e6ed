import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { safeName } from '../../../cli/src/io/destination.ts';
import type { FileInfo } from '../../../sdk/src/index.ts';
import { emptyFolder, FILE_ID, refusal, srs } from './terminal.ts';

/** A client with one file, whose body can break off. */
function holding(fileName = 'a.txt', failure?: Error) {
  async function* pieces() {
    yield new TextEncoder().encode('hello');
    if (failure) throw failure;
    yield new TextEncoder().encode('world');
  }
  const file = { fileId: FILE_ID, fileName, fileSizeBytes: 10, provider: 'r2' } as FileInfo;
  return { download: async () => ({ file, body: ReadableStream.from(pieces()) }) };
}

describe('srs get', () => {
  const get = `get ${FILE_ID}`;

  it('never leaves the folder for any file name of the service', async () => {
    const folder = await emptyFolder();
    const client = holding('../../../../tmp/\u001Bevil');
    const ran = await srs(`${get} --json`, { client, workingFolder: folder });
    assert.deepEqual(await readdir(folder), ['_evil']);
    assert.equal(ran.documents()[0]?.['path'], join(folder, '_evil'));
  });

  it('writes a safe name for each file name', () => {
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
    ] as const)
      assert.equal(safeName(name, 'other'), safe);
  });

  it('writes to the given path, or into the given folder', async () => {
    const folder = await emptyFolder();
    for (const path of [join(folder, 'b'), folder])
      assert.equal((await srs(`${get} -o ${path}`, { client: holding() })).exitCode, 0);
    assert.deepEqual((await readdir(folder)).sort(), ['a.txt', 'b']);
  });

  it('replaces a file only with --force, and no device', async () => {
    const folder = await emptyFolder();
    const path = join(folder, 'a.txt');
    await writeFile(path, 'mine');
    const run = (options: string) =>
      srs(`${get} ${options}`, { client: holding(), workingFolder: folder });
    for (const options of ['', `-o ${path}`]) {
      const ran = await run(`--json ${options}`);
      assert.deepEqual([ran.exitCode, ran.failures()[0]?.['code']], [1, 'file_exists']);
    }
    assert.equal(await readFile(path, 'utf8'), 'mine');
    assert.equal((await run('-f')).exitCode, 0);
    assert.equal(await readFile(path, 'utf8'), 'helloworld');
    assert.deepEqual(await readdir(folder), ['a.txt']);
    const device = await run('-f -o /dev/null --json');
    assert.equal(device.failures()[0]?.['code'], 'not_a_regular_file');
  });

  it('leaves no file after an incomplete download', async () => {
    const folder = await emptyFolder();
    const client = holding('a.txt', refusal('download_from_provider_failed'));
    assert.equal((await srs(get, { client, workingFolder: folder })).exitCode, 6);
    assert.deepEqual(await readdir(folder), []);
  });
});

describe('srs rm', () => {
  it('marks deletes that the service completes later', async () => {
    const slow = FILE_ID.replace(/1$/, '3');
    const deleted = { status: 'deleted', deletedAt: '2026-11-20T12:00:01.000Z' } as const;
    const client = {
      deleteFile: async (fileId: string) =>
        fileId === slow ? { fileId, status: 'deleting' as const } : { fileId, ...deleted },
    };
    const ran = await srs(`rm ${FILE_ID} ${slow}`, { client });
    assert.equal(ran.exitCode, 0);
    assert.match(ran.stdout, new RegExp(`^${FILE_ID} {2}deleted\\n${slow} {2}deleting`));
  });
});
