import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import * as permissions from '../../../adapters/cloud-account/permissions.ts';

const { rolePolicy, SCAN_PERMISSIONS, sessionPolicy, USAGE_PERMISSIONS } = permissions;
const PERMISSIONS = [...Object.values(SCAN_PERMISSIONS), ...Object.values(USAGE_PERMISSIONS)];
const ACTIONS = PERMISSIONS.map(({ action }) => action);
ACTIONS.sort();

const read = (name: string) => readFile(new URL(`../../../docs/${name}`, import.meta.url), 'utf8');
const actionsIn = (text: string) =>
  [...text.matchAll(/\b(?:s3|ce|cloudwatch):[A-Z]\w+/g)].map(([action]) => action);

describe('the permissions of a scan', () => {
  it('are the same in the session policy and in the policy of the role', () => {
    const { Statement } = JSON.parse(sessionPolicy()) as { Statement: [{ Action: string[] }] };
    assert.deepEqual(Statement[0].Action.sort(), ACTIONS);
    const ofRole = rolePolicy().Statement.flatMap(({ Action }) => Action);
    assert.deepEqual(ofRole.sort(), ACTIONS);
    assert.ok(sessionPolicy().length <= 2_048, 'they fit into a session policy');
  });

  for (const template of ['storage-routing-role.yaml', 'storage-routing-role.tf']) {
    it(`are granted by ${template}, each once, on the resources that they need, with the external id`, async () => {
      const text = await read(`connect-aws/${template}`);
      assert.deepEqual(actionsIn(text).sort(), ACTIONS);
      assert.match(text, /StringEquals[\s\S]+sts:ExternalId/);
      for (const { Sid, Action, Resource } of rolePolicy().Statement) {
        const start = text.indexOf(Sid);
        const next = text.indexOf('StorageRoutingScan', start + 1);
        const statement = text.slice(start, next < 0 ? undefined : next);
        assert.deepEqual(actionsIn(statement), Action);
        const resources = statement.match(/(?<=['"\s])(\*|arn:aws:s3:::[*/]+)(?=['"\s])/g);
        assert.deepEqual(resources, Resource);
      }
    });
  }

  it('are explained to the customer, each with what a scan lacks without it', async () => {
    const text = await read('connect-aws.md');
    for (const { action, withoutIt } of PERMISSIONS) {
      assert.ok(text.includes(`\`${action}\``), action);
      if (withoutIt !== null) {
        assert.ok(text.includes(withoutIt.replace('this bucket', 'that bucket')), withoutIt);
      }
    }
  });
});
