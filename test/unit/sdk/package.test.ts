import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createClientTypes, readClientTypes } from '../../../dev/client-types.ts';
import { installPacked, repository } from './packed.ts';

const run = promisify(execFile);
const compiler = join(repository, 'node_modules/typescript/bin/tsc');

const typed = `
import { createClient, type FileInfo, type ReportLine, StorageRoutingError, type UploadResult } from '@storage-routing/client';
const client = createClient({ baseUrl: 'https://routing.example.com', dashboardToken: async () => 't' });
const uploaded: UploadResult = await client.upload({ source: 'a.txt', onProgress: ({ sentBytes }) => void sentBytes.toFixed() });
const file: FileInfo = await client.getFile(uploaded.fileId);
const body: ReadableStream<Uint8Array> = (await client.download(file.fileId)).body;
await client.upload({ source: body, fileName: 'b', fileSizeBytes: file.fileSizeBytes });
const lines: AsyncIterable<ReportLine> = client.migrations.report('m');
for await (const line of lines) void ('key' in line ? line.sha256?.length : line.objectsTotal.toFixed());
const started = await client.init({ fileName: 'a', contentType: 'b/c', fileSizeBytes: 1, multipart: true });
for await (const part of client.listParts(started.fileId)) void (part.sizeBytes === started.multipart.partSizeBytes);
const resumed: string = (await client.resume(started.fileId, body, { parallelParts: 2 })).completedAt;
void resumed;
// @ts-expect-error parts have URLs of their own
void started.presignedUrl;
// @ts-expect-error a stream needs its size
await client.upload({ source: body, fileName: 'b' });
// @ts-expect-error a store needs its keys
await client.providers.save({ provider: 'b2', bucketName: '', region: '' });
export const status = (error: StorageRoutingError): number | undefined => error.status;
`;

const strict = { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false };
const compilerOptions = { ...strict, target: 'es2023', module: 'nodenext', noEmit: true };

describe('the client library as a package', () => {
  it('has the types of the description that the service serves (npm run sdk:types writes them)', async () => {
    assert.equal(await readClientTypes(), await createClientTypes());
  });
});

describe('the packed client library', () => {
  let folder: string;

  before(async () => {
    folder = await installPacked();
  });

  it('has no dependencies, and contains only the files it needs', async () => {
    const modules = join(folder, 'node_modules');
    const packages = (await readdir(modules)).filter((name) => !name.startsWith('.'));
    assert.deepEqual(packages, ['@storage-routing']);
    assert.deepEqual(await readdir(join(modules, '@storage-routing')), ['client']);
    const root = join(modules, '@storage-routing/client');
    const names = ['LICENSE', 'README.md', 'dist', 'package.json'];
    assert.deepEqual((await readdir(root)).sort(), names);
    const text = await readFile(join(root, 'package.json'), 'utf8');
    assert.doesNotMatch(text, /ependencies"/);
    for (const name of await readdir(join(root, 'dist'), { recursive: true })) {
      assert.match(name, /^(?:http|platform|resources|shared|source|upload)$|\.js$|\.d\.ts$/);
    }
  });

  const typeRoots = [join(repository, 'node_modules/@types')];
  for (const [name, options] of [
    ["Node's types", { lib: ['es2023'], types: ['node'], typeRoots }],
    ["the browser's types", { lib: ['es2023', 'dom', 'dom.iterable'], types: [] }],
  ] as const)
    it(`is typed for a TypeScript program with ${name}`, async () => {
      await writeFile(join(folder, 'typed.ts'), typed);
      const config = { compilerOptions: { ...compilerOptions, ...options }, files: ['typed.ts'] };
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
      const { stdout } = await run(process.execPath, [compiler, '-p', folder]).catch(
        (error: { stdout: string }) => error,
      );
      assert.equal(stdout, '');
    });
});
