import assert from 'node:assert/strict';
import type { Migration } from '../../../sdk/src/index.ts';
import { customerWith } from '../customers.ts';

const MIB = 2 ** 20;
const PART = 64 * MIB;
const PARTS = 14;
const LAST = 5 * MIB;
const SIZE = (PARTS - 1) * PART + LAST;
const AT_ONCE = 4;
const PART_MS = 1_300;

describe('the progress of a migration', function () {
  this.timeout(120_000);
  // spec: state.migration
  it('counts the parts of an object in flight that the target has confirmed', async () => {
    const customer = await customerWith([{ key: 'o/large', size: SIZE }]);
    const { target: bucket } = customer;
    customer.double.putBucket({ name: bucket, keepBodiesUpToBytes: MIB });
    const slow = { effect: 'latency', operation: 'UploadPart', latencyMs: PART_MS } as const;
    customer.double.addFault({ ...slow, bucket });
    const { client } = customer;
    const migrationId = await customer.move();
    const seen: Migration['progress'][] = [];
    const listed: (number | null)[] = [];
    const ended = await client.migrations.waitFor(migrationId, {
      pollMs: 200,
      onProgress({ status, progress }) {
        if (status === 'copying') seen.push(progress);
        void client.migrations.list({ status: 'copying' }).then(({ items }) => {
          const line = items.find((item) => item.migrationId === migrationId);
          if (line) listed.push(line.percent);
        });
      },
    });
    assert.equal(ended.status, 'completed', JSON.stringify(ended));
    assert.deepEqual(
      [ended.progress.objectsCopied, ended.progress.bytesCopied, ended.progress.percent],
      [1, SIZE, 100],
    );

    const bytes = seen.map(({ bytesCopied }) => bytesCopied);
    assert.deepEqual(
      bytes,
      bytes.toSorted((a, b) => a - b),
      'it never goes back',
    );
    const between = [...new Set(bytes)].filter((each) => each > 0 && each < SIZE);
    assert.ok(between.length >= PARTS / AT_ONCE - 1, `only ${bytes.join()}`);
    // The last part may be confirmed before another one.
    for (const each of between) assert.ok([0, LAST].includes(each % PART), `${each}`);
    const moving = seen.filter(({ bytesCopied }) => between.includes(bytesCopied));
    for (const progress of moving) {
      assert.equal(progress.objectsCopied, 0);
      assert.equal(progress.percent, Math.floor((100 * progress.bytesCopied) / SIZE));
      // No part takes less than its latency at the target.
      const { bytesPerSecond, etaSeconds } = progress;
      assert.ok(
        bytesPerSecond > 0 && bytesPerSecond <= (AT_ONCE * 1_000 * PART) / PART_MS,
        `${bytesPerSecond}`,
      );
      assert.equal(etaSeconds, Math.ceil((SIZE - progress.bytesCopied) / bytesPerSecond));
    }
    assert.ok(
      listed.some((percent) => percent !== null && percent > 0 && percent < 100),
      `the list showed ${listed.join()}`,
    );
  });
});
