import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import type { CloudCustomer } from '../../harness/cloud-customer.ts';
import { createOwnStore, newCloudCustomer, seedPress } from '../customers.ts';
import { localService } from '../../servers.ts';

const run = promisify(execFile);
const sdk = new URL('../../../sdk/', import.meta.url);
const examples = new URL('examples/server/', sdk);
const MIB = 1024 * 1024;

function shownPart(source: string): string | undefined {
  return source.split('// README\n')[1]?.split('// end')[0]?.trim();
}

describe("the examples of the client library's README", () => {
  let baseUrl: string;
  let customer: CloudCustomer;
  let apiKey: string;
  let folder: string;
  before(async () => {
    const [service] = await Promise.all([
      localService(),
      run('npm', ['run', '--silent', 'build'], { cwd: fileURLToPath(sdk) }),
    ]);
    ({ baseUrl } = service);
    customer = await newCloudCustomer('r2', 'b2');
    await customer.client.providers.save(createOwnStore(customer));
    ({ apiKey } = await customer.client.apiKey.regenerate());
    folder = await mkdtemp(join(tmpdir(), 'srs-readme-'));
    await mkdir(join(folder, 'reports'));
    await writeFile(join(folder, 'reports/2026.pdf'), 'a report');
    await writeFile(join(folder, 'film.mp4'), '');
    await truncate(join(folder, 'film.mp4'), 72 * MIB);
  });
  after(() => rm(folder, { recursive: true }));

  async function runExample(name: string, ...args: string[]): Promise<string> {
    const program = fileURLToPath(new URL(`${name}.ts`, examples));
    const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
    const keys = { SRS_API_KEY: apiKey, SRS_DASHBOARD_TOKEN: customer.token };
    const env = { PATH: process.env['PATH'], SRS_BASE_URL: baseUrl, ...keys };
    const words = ['--import', loader, program, ...args];
    return (await run(process.execPath, words, { cwd: folder, env })).stdout;
  }

  it('are what the README shows, all of them', async () => {
    const readme = await readFile(new URL('README.md', sdk), 'utf8');
    const blocks = [...readme.matchAll(/```[jt]s\n(.*?)```/gs)].map(([, code = '']) => code.trim());
    const shown: string[] = [];
    for (const name of await readdir(examples)) {
      const part = shownPart(await readFile(new URL(name, examples), 'utf8'));
      if (part !== undefined) shown.push(part);
    }
    const page = await readFile(new URL('examples/page-upload/page.js', sdk), 'utf8');
    const others = blocks.filter((block) => !page.includes(block));
    assert.deepEqual(others.toSorted(), shown.toSorted());
    assert.equal(blocks.length, shown.length + 1);
  });

  for (const [what, name, printed] of [
    ['upload a file', 'upload', /^\S+ r2 saves \$-?\d+\.\d{6} a month\n$/],
    ['upload a stream', 'stream', /^active\n$/],
    ['go on with an upload that was cut off', 'resume', /^active\n$/],
    ['iterate over all uploads', 'lists', /^(?:[\w-]{36} \w+ .*\n)+$/],
    ['decide by the code of an error', 'errors', /^source_failed /],
  ] as const)
    it(`${what} (${name}.ts)`, async () => {
      assert.match(await runExample(name), printed);
    });

  it('wait for a scan, approve a move, and read its report', async () => {
    seedPress(customer, 5);
    const connectionId = await customer.connect(['us-east-1']);
    assert.equal(await runExample('migrate', connectionId), 'completed 5 of 5\n');
  });
});
