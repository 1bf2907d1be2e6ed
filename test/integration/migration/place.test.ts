import assert from 'node:assert/strict';
import { refusal } from '../../harness/cloud-customer.ts';
import { customerWith } from './migration-of.ts';

const OBJECTS = [
  { key: 'a', size: 5 * 2 ** 20 },
  { key: 'b', size: 6 * 2 ** 20 },
];
const TARGET = { targetProvider: 'b2' } as const;

describe('the place at the target that an approval names', () => {
  it('is a bucket and a prefix, and belongs to the approval', async () => {
    const customer = await customerWith(OBJECTS);
    const { migrations } = customer.client;
    const { recommendationId } = await customer.recommend();
    const bucketName = customer.bucket('elsewhere', 'us-west-2');
    const place = { bucketName, keyPrefix: 'from aws/2026/' };
    const approve = (target = place) => migrations.approve(recommendationId, { ...TARGET, target });
    const refused = await refusal(approve({ ...place, bucketName: `${bucketName}-missing` }));
    assert.deepEqual([refused.status, refused.code], [400, 'provider_error']);
    const { migrationId } = await approve();
    const migration = await customer.migrated(migrationId);
    assert.equal(migration.status, 'completed', JSON.stringify(migration));
    assert.deepEqual(migration.target, { provider: 'b2', ...place });
    const source = await customer.hashes(customer.source);
    const copied = await customer.hashes(bucketName);
    assert.deepEqual(
      [...copied].sort(),
      [...source].map(([key, hash]) => [`from aws/2026/${key}`, hash]).sort(),
    );
    assert.equal((await approve()).migrationId, migrationId);
    for (const request of [TARGET, { ...TARGET, target: { ...place, keyPrefix: '' } }])
      assert.equal(
        (await refusal(migrations.approve(recommendationId, request))).code,
        'recommendation_not_open',
      );
  });
});
