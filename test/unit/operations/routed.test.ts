import assert from 'node:assert/strict';
import { holdsRoutedFiles } from '../../../operations/uploads/routed.ts';

const SOURCE = { provider: 'aws', bucketName: 'media', region: 'us-east-1' };

/** The prefix that files are asked for; `nothing` if they are not asked. */
async function askedFor(prefix: string | null): Promise<string | null> {
  let asked: string | null = 'nothing';
  const isHeldAt = async (...[, , keyPrefix]: [string, object, string | null]) => {
    asked = keyPrefix;
    return true;
  };
  const isHeld = await holdsRoutedFiles({ files: { isHeldAt } }, 'account', SOURCE, prefix);
  assert.equal(isHeld, asked !== 'nothing');
  return asked;
}

describe('the files of the service in a bucket', () => {
  for (const [prefix, keys] of [
    [null, null],
    ['', null],
    ['u', null],
    ['uploads/', null],
    ['uploads/0f1e', 'uploads/0f1e'],
    ['uploads0/', 'nothing'],
    ['a/', 'nothing'],
    ['*', 'nothing'],
  ] as const)
    it(`below ${prefix === null ? 'no prefix' : `"${prefix}"`} are those ${keys ?? 'of the bucket'}`, async () => {
      assert.equal(await askedFor(prefix), keys);
    });
});
