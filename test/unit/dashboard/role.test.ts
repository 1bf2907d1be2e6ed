import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import * as permissions from '../../../adapters/cloud-account/permissions.ts';
import * as shown from '../../../dashboard/src/views/audit/connect/permissions.ts';
import { ALL_REGIONS } from '../../../dashboard/src/views/audit/connect/regions.ts';
import * as role from '../../../dashboard/src/views/audit/connect/role.ts';
import { CATALOGUE, SCANNED_PROVIDER } from '../../../domain/provider/catalogue.ts';

const TEMPLATE = new URL('../../../docs/connect-aws/storage-routing-role.yaml', import.meta.url);

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
  });

  it('is the documented template, with the account and the external id filled in', () => {
    const documented = readFileSync(TEMPLATE, 'utf8');
    assert.equal(role.roleTemplate(), documented);
    const filled = role.roleTemplate({ serviceAccountId: '999988887777', externalId: 'a1b2' });
    const added = filled.split('\n').filter((line) => !documented.split('\n').includes(line));
    assert.deepEqual(added, ["    Default: '999988887777'", "    Default: 'a1b2'"]);
  });

  it('is made by a link into the AWS console, with the parameters of the template', () => {
    const templateUrl = 'https://templates.s3.us-east-1.amazonaws.com/role.yaml?versionId=a+b';
    const externalId = 'Az09_+=,.@:/-';
    const link = role.quickCreateLink(templateUrl, {
      serviceAccountId: '999988887777',
      externalId,
    });
    const [page, query = ''] = link.split('?');
    assert.equal(page, 'https://console.aws.amazon.com/cloudformation/home#/stacks/create/review');
    const { stackName, ...values } = Object.fromEntries(new URLSearchParams(query));
    assert.match(stackName ?? '', /^[A-Za-z][A-Za-z0-9-]{0,127}$/);
    assert.deepEqual(values, {
      templateURL: templateUrl,
      param_ServiceAccountId: '999988887777',
      param_ExternalId: externalId,
    });
    const { Parameters } = parse(readFileSync(TEMPLATE, 'utf8'), { logLevel: 'error' }) as {
      Parameters: Record<string, { Default?: string }>;
    };
    const needed = Object.entries(Parameters).filter(([, { Default }]) => Default === undefined);
    const given = Object.keys(values).filter((name) => name.startsWith('param_'));
    assert.deepEqual(
      given,
      needed.map(([name]) => `param_${name}`),
    );
  });

  it('trusts one account, under a new external id of 128 bits that the API takes', () => {
    const externalId = role.createExternalId();
    assert.match(externalId, /^[0-9a-f]{32}$/);
    assert.notEqual(role.createExternalId(), externalId);
    assert.match(externalId, /^[A-Za-z0-9_+=,.@:/-]{2,1224}$/);
    const { Statement } = role.trustPolicy({ serviceAccountId: '999988887777', externalId });
    assert.deepEqual(Statement[0]?.Condition, { StringEquals: { 'sts:ExternalId': externalId } });
    assert.equal(Statement[0]?.Principal.AWS, 'arn:aws:iam::999988887777:root');
    assert.deepEqual(['999988887777', '99998888777', ''].map(role.isAccountId), [
      true,
      false,
      false,
    ]);
  });

  it('offers no more regions than a connection takes, each in the form of a region', () => {
    assert.ok(ALL_REGIONS.length <= 40);
    assert.equal(new Set(ALL_REGIONS).size, ALL_REGIONS.length);
    for (const region of ALL_REGIONS)
      assert.match(region, CATALOGUE[SCANNED_PROVIDER].regionPattern);
  });
});
