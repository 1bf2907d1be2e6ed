import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { createClient, type StorageRoutingClient } from '../../sdk/src/index.ts';
import { createCustomer } from '../harness/customer.ts';
import { localServers, localService } from '../servers.ts';

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

/** Uploads a generated stream in a process of its own, and prints by how much its memory has grown at most. */
const PROGRAM = `
const { createClient } = await import(process.env.CLIENT);
const { createHash } = await import('node:crypto');
const { BASE_URL: baseUrl, API_KEY: apiKey, SIZE } = process.env;
const client = createClient({ baseUrl, apiKey });
const hash = createHash('sha256');
async function* generated(sizeBytes) {
  for (let at = 0; at < sizeBytes; at += 65536) {
    const piece = Buffer.alloc(65536, at / 65536 % 251);
    piece.writeDoubleLE(at);
    hash.update(piece);
    yield piece;
  }
}
const warm = Buffer.alloc(1 << 20);
const request = { fileName: 'warm.bin', multipart: true };
await client.deleteFile((await client.upload({ ...request, source: warm })).fileId);
const before = process.memoryUsage.rss();
let highest = before;
const watch = setInterval(() => (highest = Math.max(highest, process.memoryUsage.rss())), 5);
const fileSizeBytes = Number(SIZE);
const source = generated(fileSizeBytes);
const { fileId } = await client.upload({ source, fileName: 'generated.bin', fileSizeBytes });
clearInterval(watch);
console.log(JSON.stringify({ fileId, grownBytes: highest - before, sha256: hash.digest('hex') }));
`;

interface Measured {
  fileId: string;
  grownBytes: number;
  sha256: string;
}

describe('the memory of an upload in parts', () => {
  let client: StorageRoutingClient;
  let environment: Record<string, string>;

  before(async () => {
    const [{ stack }, { baseUrl }] = await Promise.all([localServers(), localService()]);
    const { apiKey } = await createCustomer(stack, baseUrl);
    client = createClient({ baseUrl, apiKey });
    const sdk = new URL('../../sdk/src/index.ts', import.meta.url).href;
    environment = { BASE_URL: baseUrl, API_KEY: apiKey, CLIENT: sdk };
  });

  async function measure(sizeBytes: number): Promise<Measured> {
    const args = ['--import', 'tsx', '--input-type=module', '--eval', PROGRAM];
    const env = { ...process.env, ...environment, SIZE: String(sizeBytes) };
    const { stdout } = await promisify(execFile)(process.execPath, args, { env });
    return JSON.parse(stdout) as Measured;
  }

  it('does not grow with the file: 1 GiB from a generated stream', async function () {
    this.timeout(600_000);
    const { fileId, grownBytes, sha256 } = await measure(GIB);
    const grownMib = Math.round(grownBytes / MIB);
    console.log(`      1 GiB: the memory grew by at most ${grownMib} MiB`);
    assert.ok(grownMib < 160, `${grownMib} MiB`);
    const hash = createHash('sha256');
    for await (const piece of (await client.download(fileId)).body) hash.update(piece);
    assert.equal(hash.digest('hex'), sha256);
    await client.deleteFile(fileId);
  });
});
