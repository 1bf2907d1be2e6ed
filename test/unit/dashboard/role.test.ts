import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { USAGE_STATEMENT } from '../../../report/content.ts';
import * as permissions from '../../../adapters/cloud-account/permissions.ts';
import * as shown from '../../../dashboard/src/views/audit/connect/permissions.ts';
import { ALL_REGIONS } from '../../../dashboard/src/views/audit/connect/regions.ts';
import * as role from '../../../dashboard/src/views/audit/connect/role.ts';
import { catalogue } from '../price-book.ts';

const TEMPLATE = new URL('../../../docs/connect-aws/storage-routing-role.yaml', import.meta.url);

/** What a person sees of it: `test/browser/connect.test.ts`, `test/browser/audit.test.ts`. */
describe('the role that the dashboard asks for', () => {
  it('has the permissions of the scan, each with what is missing without it', () => {
    assert.deepEqual(
      [...shown.PERMISSIONS, ...shown.USAGE_PERMISSIONS].map(({ action, resource, withoutIt }) => ({
        action,
        resource,
        withoutIt,
      })),
      [
        ...Object.values(permissions.SCAN_PERMISSIONS),
        ...Object.values(permissions.USAGE_PERMISSIONS),
      ],
    );
    assert.deepEqual(shown.permissionsPolicy(), permissions.rolePolicy());
    assert.equal(USAGE_STATEMENT, JSON.stringify(shown.usageStatement()));
  });

  it('is the documented template, with the account and the external id filled in', () => {
    const documented = readFileSync(TEMPLATE, 'utf8');
    assert.equal(role.roleTemplate(), documented);
    const filled = role.roleTemplate({ serviceAccountId: '999988887777', externalId: 'a1b2' });
    const added = filled.split('\n').filter((line) => !documented.split('\n').includes(line));
    assert.deepEqual(added, ["    Default: '999988887777'", "    Default: 'a1b2'"]);
  });

  it('is made by a link into the AWS console, with every parameter that the template needs', () => {
    const link = role.quickCreateLink('https://templates.example/role.yaml', {
      serviceAccountId: '999988887777',
      externalId: 'Az09_+=,.@:/-',
    });
    const [page, query = ''] = link.split('?');
    assert.equal(page, 'https://console.aws.amazon.com/cloudformation/home#/stacks/create/review');
    const given = new URLSearchParams(query);
    assert.match(given.get('stackName') ?? '', /^[A-Za-z][A-Za-z0-9-]{0,127}$/);
    assert.equal(given.get('param_ExternalId'), 'Az09_+=,.@:/-');
    const { Parameters } = parse(readFileSync(TEMPLATE, 'utf8'), { logLevel: 'error' }) as {
      Parameters: Record<string, { Default?: string }>;
    };
    for (const [name, { Default }] of Object.entries(Parameters))
      assert.equal(given.has(`param_${name}`), Default === undefined, name);
  });

  it('offers no more regions than a connection takes, each in the form of a region', () => {
    assert.ok(ALL_REGIONS.length <= 40);
    assert.equal(new Set(ALL_REGIONS).size, ALL_REGIONS.length);
    for (const region of ALL_REGIONS) assert.ok(catalogue.entry('aws').takesRegion(region), region);
  });
});
