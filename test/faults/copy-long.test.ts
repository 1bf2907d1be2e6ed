import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { multipartEtag } from '../../domain/migrations/copying.ts';
import { createCopyHarness, MIB } from '../harness/object-copy.ts';

const SIZE = 6 * 1_024 * MIB;

describe('copying an object of 6 GiB', function () {
  this.timeout(600_000);
  it('transfers each byte once, in constant memory', async () => {
    const harness = await createCopyHarness();
    const whole = createHash('sha256');
    let bytes = 0;
    let mostRss = 0;
    const etags: Buffer[] = [];
    const sink = {
      ...harness.stores.target,
      beginUpload: () => Promise.resolve('upload'),
      completeUpload: () => Promise.resolve({ etag: multipartEtag(etags), isOpaque: false }),
      writePart: async (
        ...[, , , { body }]: Parameters<typeof harness.stores.target.writePart>
      ) => {
        const md5 = createHash('md5');
        for await (const chunk of Buffer.isBuffer(body) ? [body] : body) {
          md5.update(chunk);
          whole.update(chunk);
          bytes += chunk.length;
          mostRss = Math.max(mostRss, process.memoryUsage.rss());
        }
        etags.push(md5.digest());
        return { etag: etags.at(-1)?.toString('hex') ?? '', isOpaque: false };
      },
    };
    const entry = await harness.seed({ key: 'long', size: SIZE });
    const before = process.memoryUsage.rss();
    const { sha256 } = await harness.copy(entry, { target: sink });
    assert.equal(bytes, SIZE);
    assert.equal(sha256, whole.digest('hex'));
    const grownMiB = Math.round((mostRss - before) / MIB);
    assert.ok(grownMiB < 200, `grew by ${grownMiB} MiB`);
    await harness.close();
  });
});
