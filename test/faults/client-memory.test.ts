import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createClient } from '../../sdk/src/index.ts';
import { createCustomer } from '../harness/customer.ts';
import { localServers, localService } from '../servers.ts';
import { generatedBytes } from './client-fixtures/generated-bytes.ts';
import { uploadGenerated } from './client-fixtures/programs.ts';

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;
/** Four parts of 8 MiB are in flight. */
const MOST_GROWN_MIB = 96;

describe('the memory of an upload in parts', () => {
  it('does not grow with the file: 1 GiB from a generated stream', async function () {
    this.timeout(600_000);
    const [{ stack }, { baseUrl }] = await Promise.all([localServers(), localService()]);
    const { apiKey } = await createCustomer(stack, baseUrl);
    const client = createClient({ baseUrl, apiKey });
    const { fileId, grownBytes } = await uploadGenerated({ baseUrl, apiKey }, GIB, 'held');
    const grownMib = Math.round(grownBytes / MIB);
    console.log(`      1 GiB: the memory grew by at most ${grownMib} MiB`);
    assert.ok(grownMib < MOST_GROWN_MIB, `${grownMib} MiB`);
    const [received, sent] = [createHash('sha256'), createHash('sha256')];
    for await (const piece of (await client.download(fileId)).body) received.update(piece);
    for (const piece of generatedBytes(GIB)) sent.update(piece);
    assert.equal(received.digest('hex'), sent.digest('hex'));
    await client.deleteFile(fileId);
  });
});
