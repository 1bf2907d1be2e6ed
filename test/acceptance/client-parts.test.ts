import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createClient,
  type StorageRoutingClient,
  type UploadProgress,
} from '../../sdk/src/index.ts';
import { hashOf, sha256 } from './store.ts';
import { baseUrl } from './target.ts';
import { one, withStores } from './tenant.ts';

const MIB = 1024 * 1024;
const multipart = true;

/** The kinds of source and the ways to fail are shown in `test/unit/sdk`. */
describe('The client library in parts', () => {
  let folder: string;
  let client: StorageRoutingClient;
  withStores(one, 'aws', 'r2', 'b2');
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'acceptance-parts-'));
    client = createClient({ baseUrl: baseUrl().href, apiKey: await one.key() });
  });
  after(() => rm(folder, { recursive: true, force: true }));

  async function fileOf(bytes: Buffer): Promise<string> {
    const path = join(folder, `${crypto.randomUUID()}.bin`);
    await writeFile(path, bytes);
    return path;
  }

  async function requireStored(fileId: string, bytes: Buffer): Promise<void> {
    const { body } = await client.download(fileId);
    assert.equal(await hashOf(body), sha256(bytes));
    await client.deleteFile(fileId);
  }

  for (const [priority, provider] of [
    ['hot', 'r2'],
    ['archive', 'b2'],
  ] as const) {
    it(`sends 40 MiB from a file to ${provider}, which come back the same`, async () => {
      const bytes = randomBytes(40 * MIB + 7);
      const seen: UploadProgress[] = [];
      const onProgress = (progress: UploadProgress): void => void seen.push(progress);
      const source = await fileOf(bytes);
      const uploaded = await client.upload({ source, priority, multipart, onProgress });
      assert.deepEqual(
        [uploaded.status, uploaded.provider, uploaded.fileSizeBytes],
        ['active', provider, bytes.length],
      );
      const steps = new Set(seen.map(({ confirmedBytes }) => confirmedBytes));
      assert.equal(steps.size, 7, 'each of the six parts, and the beginning');
      assert.equal(seen.at(-1)?.confirmedBytes, bytes.length);
      await requireStored(uploaded.fileId, bytes);
    });
  }
});
