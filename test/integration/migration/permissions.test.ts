import assert from 'node:assert/strict';
import {
  migrateWith,
  uploadWith,
  type Scenario,
  type Seen,
} from '../../harness/permission-scenarios.ts';
import { actionsOf, readPermissions, without, type Policy } from '../../harness/permissions.ts';
import { localMigrationService, type IsolatedService } from '../../servers.ts';

/** A policy of the guide, what all of it lets happen, and the check that needs each of its actions. */
interface Case {
  readonly heading: string;
  /** Its name in the guide. */
  readonly bucket: string;
  readonly passed: Seen;
  readonly neededBy: Readonly<Record<string, string>>;
  readonly run: Scenario;
}

const CASES: readonly Case[] = [
  {
    heading: 'AWS: uploads',
    bucket: 'my-uploads',
    passed: {
      tested: true,
      put: 200,
      completed: 'active',
      downloaded: 'hello',
      deleted: 'deleted',
      neverSent: 'file_not_on_provider',
      resumed: [[1], 'active'],
      dropped: 'deleted',
      leftovers: 0,
    },
    neededBy: {
      's3:PutObject': 'put',
      's3:GetObject': 'completed',
      's3:DeleteObject': 'deleted',
      's3:ListBucket': 'neverSent',
      's3:ListMultipartUploadParts': 'resumed',
      's3:AbortMultipartUpload': 'leftovers',
      's3:ListBucketMultipartUploads': 'leftovers',
    },
    run: uploadWith,
  },
  {
    heading: 'AWS: source of a migration',
    bucket: 'my-archive',
    passed: { outcome: 'completed', acls: 'not_carried', leftovers: 0 },
    neededBy: {
      's3:ListBucket': 'outcome',
      's3:GetObject': 'outcome',
      's3:GetBucketOwnershipControls': 'acls',
    },
    run: migrateWith('source'),
  },
  {
    heading: 'Target of a migration',
    bucket: 'my-target',
    passed: { outcome: 'completed', acls: 'not_carried', leftovers: 0 },
    neededBy: {
      's3:PutObject': 'outcome',
      's3:GetObject': 'outcome',
      's3:DeleteObject': 'outcome',
      's3:ListBucket': 'outcome',
      's3:AbortMultipartUpload': 'leftovers',
    },
    run: migrateWith('target'),
  },
];

describe('docs/guides/permissions.md', () => {
  for (const { heading, bucket, passed, neededBy, run } of CASES) {
    const { policy, explained } = readPermissions(heading);
    const actions = actionsOf(policy);
    const named = (given: Policy) => (name: string) =>
      JSON.parse(JSON.stringify(given).replaceAll(`:::${bucket}`, `:::${name}`)) as Policy;

    describe(`"${heading}"`, () => {
      let servers: IsolatedService;
      /** All at once: refusals are repeated for a while. By the action that is missing. */
      let seen: Map<string, Seen>;
      before(async () => {
        servers = await localMigrationService();
        const runs = ['', ...actions].map(
          async (missing) =>
            [missing, await run(servers, named(without(policy, missing)))] as const,
        );
        seen = new Map(await Promise.all(runs));
      });

      it('explains each of its actions, and no other', () => {
        assert.deepEqual(explained.toSorted(), actions.toSorted());
        assert.deepEqual(Object.keys(neededBy).sort(), actions.toSorted());
      });

      it('is enough', () => {
        assert.deepEqual(seen.get(''), passed);
      });

      for (const action of actions)
        it(`is too little without ${action}`, () => {
          const check = neededBy[action] ?? assert.fail();
          assert.notDeepEqual(seen.get(action)?.[check], passed[check], check);
        });
    });
  }
});
