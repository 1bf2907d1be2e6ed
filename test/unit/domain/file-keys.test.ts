import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { joinUploadKeys, uploadKeysOf } from '../../../domain/common/file-keys.ts';
import { uploadKey } from '../../../domain/uploads/file-name.ts';

const ID = '0f1e2d3c-4b5a-4968-8778-695a4b3c2d1e';

describe('the keys below uploads/', () => {
  it('are of files by their form alone', () => {
    assert.equal(uploadKeysOf(uploadKey(randomUUID(), 'a b.png')), 'files');
    const others = [
      '',
      'x',
      ID,
      `${ID}x/a`,
      `x${ID}/a`,
      `${ID.toUpperCase()}/a`,
      `${ID.slice(1)}/a`,
    ];
    for (const key of others) assert.equal(uploadKeysOf(`uploads/${key}`), 'others', key);
    for (const key of ['', 'uploads', `x/uploads/${ID}/a`, `Uploads/${ID}/a`, `/uploads/${ID}/a`])
      assert.equal(uploadKeysOf(key), 'none', key);
  });

  it('are of files together where all of them are', () => {
    const all = ['none', 'files', 'others'] as const;
    const joined = all.map((some) => all.map((more) => joinUploadKeys(some, more)));
    assert.deepEqual(joined, [
      ['none', 'files', 'others'],
      ['files', 'files', 'others'],
      ['others', 'others', 'others'],
    ]);
  });
});
