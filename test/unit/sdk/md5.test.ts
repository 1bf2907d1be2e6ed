import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import { createMd5 } from '../../../sdk/src/platform/md5.ts';

describe('the MD5 of the client library', () => {
  it('is that of OpenSSL for every length around a block, in any pieces', () => {
    for (const length of [0, 1, 55, 56, 57, 63, 64, 65, 119, 120, 128, 1_000, 300_001]) {
      const bytes = randomBytes(length);
      for (const piece of [1, 63, 64, 65, 4_096]) {
        if (length / piece > 10_000) continue;
        const md5 = createMd5();
        for (let start = 0; start < length; start += piece)
          md5.update(bytes.subarray(start, start + piece));
        assert.equal(md5.digest('hex'), hash('md5', bytes, 'hex'), `${length} in ${piece}`);
      }
      const whole = createMd5();
      whole.update(bytes);
      assert.equal(whole.digest('base64'), hash('md5', bytes, 'base64'));
    }
  });
});
