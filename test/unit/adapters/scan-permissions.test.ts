import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import {
  rolePolicy,
  SCAN_PERMISSIONS,
  sessionPolicy,
} from '../../../adapters/cloud-account/permissions.ts';

const ACTIONS = Object.values(SCAN_PERMISSIONS)
  .map(({ action }) => action)
  .sort();

const read = (name: string) => readFile(new URL(`../../../docs/${name}`, import.meta.url), 'utf8');
const actionsIn = (text: string) => [...text.matchAll(/\bs3:[A-Z]\w+/g)].map(([action]) => action);

describe('the permissions of a scan', () => {
  it('are the same in the session policy and in the policy of the role', () => {
    const { Statement } = JSON.parse(sessionPolicy()) as { Statement: [{ Action: string[] }] };
    assert.deepEqual(Statement[0].Action.sort(), ACTIONS);
    assert.deepEqual(
      rolePolicy()
        .Statement.flatMap(({ Action }) => Action)
        .sort(),
      ACTIONS,
    );
  });

  it('fit into a session policy', () => {
    assert.ok(sessionPolicy().length <= 2_048);
  });

  for (const template of ['storage-routing-role.yaml', 'storage-routing-role.tf']) {
    it(`are the ones that ${template} grants, each once`, async () => {
      assert.deepEqual(actionsIn(await read(`connect-aws/${template}`)).sort(), ACTIONS);
    });

    it(`are granted by ${template} on the resources that they need`, async () => {
      const text = await read(`connect-aws/${template}`);
      for (const { Sid, Action, Resource } of rolePolicy().Statement) {
        const start = text.indexOf(Sid);
        const next = text.indexOf('StorageRoutingScan', start + 1);
        const statement = text.slice(start, next < 0 ? undefined : next);
        assert.deepEqual(actionsIn(statement), Action);
        const resources = [...statement.matchAll(/(?<=['"\s])(\*|arn:aws:s3:::[*/]+)(?=['"\s])/g)];
        assert.deepEqual(
          resources.map(([resource]) => resource),
          Resource,
        );
      }
    });

    it(`are nothing without the external id in ${template}`, async () => {
      assert.match(await read(`connect-aws/${template}`), /StringEquals[\s\S]+sts:ExternalId/);
    });
  }

  it('are explained to the customer, each with what a scan lacks without it', async () => {
    const text = await read('connect-aws.md');
    for (const { action, withoutIt } of Object.values(SCAN_PERMISSIONS)) {
      assert.ok(text.includes(`\`${action}\``), action);
      if (withoutIt !== null) {
        assert.ok(text.includes(withoutIt.replace('this bucket', 'that bucket')), withoutIt);
      }
    }
  });
});
