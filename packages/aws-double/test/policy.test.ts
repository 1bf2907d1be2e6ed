import assert from 'node:assert/strict';

import { conditionsHold, type ConditionBlock } from '../src/identity/condition.ts';
import {
  evaluatePolicies,
  readPolicy,
  type PolicyDecision,
  type PolicyDocument,
} from '../src/identity/policy.ts';
import { wildcard } from '../src/identity/wildcard.ts';

function ask(
  documents: readonly PolicyDocument[],
  action: string,
  resource: string,
): PolicyDecision {
  return evaluatePolicies(documents, { action, resource, principal: null, context: new Map() });
}

const ALLOW: PolicyDocument = {
  Statement: {
    Effect: 'Allow',
    Action: ['s3:Get*', 'S3:listbucket'],
    Resource: 'arn:aws:s3:::b/*',
  },
};

describe('policies of the AWS double', () => {
  it('answer none without an applicable statement, and give Deny precedence', () => {
    const key = 'arn:aws:s3:::b/k';
    assert.equal(ask([ALLOW], 's3:GetObject', key), 'allow');
    assert.equal(ask([ALLOW], 's3:ListBucket', key), 'allow');
    assert.equal(ask([ALLOW], 's3:PutObject', key), 'none');
    assert.equal(ask([ALLOW], 's3:GetObject', 'arn:aws:s3:::other/k'), 'none');
    const deny: PolicyDocument = { Statement: [{ Effect: 'Deny', Action: '*', Resource: key }] };
    assert.equal(ask([ALLOW, deny], 's3:GetObject', key), 'deny');
    assert.equal(ask([deny, ALLOW], 's3:GetObject', `${key}2`), 'allow');
  });

  it('support NotAction and NotResource', () => {
    const statement = {
      Effect: 'Allow',
      NotAction: 's3:Delete*',
      NotResource: '*/secret',
    } as const;
    const documents = [{ Statement: statement }];
    assert.equal(ask(documents, 's3:GetObject', 'arn:aws:s3:::b/k'), 'allow');
    assert.equal(ask(documents, 's3:DeleteObject', 'arn:aws:s3:::b/k'), 'none');
    assert.equal(ask(documents, 's3:GetObject', 'arn:aws:s3:::b/secret'), 'none');
  });

  it('match wildcards over slashes, line feeds and regular-expression signs', () => {
    assert.ok(wildcard('a*z', 'a/b\n(c)z'));
    assert.ok(wildcard('a.b', 'a.b'));
    assert.ok(!wildcard('a.?', 'axb'));
    assert.ok(wildcard('[x]?', '[x]y'));
    assert.ok(!wildcard('a*', 'ba'));
  });

  it('are refused when malformed', () => {
    for (const document of [
      '',
      '{}',
      '{"Statement":[]}',
      '{"Statement":{"Effect":"Allow"}}',
      '{"Statement":{"Effect":"Maybe","Action":"*"}}',
      '{"Statement":{"Effect":"Allow","Action":1}}',
      '{"Statement":{"Effect":"Allow","Action":"*","Condition":{"NoSuchOperator":{"a":"b"}}}}',
    ]) {
      assert.equal(readPolicy(document), null, document);
    }
    assert.ok(readPolicy(ALLOW));
  });
});

describe('conditions of the AWS double', () => {
  function holds(block: ConditionBlock, context: Readonly<Record<string, string>> = {}): boolean {
    return conditionsHold(block, new Map(Object.entries(context)));
  }

  it('hold when any value of every key and operator does', () => {
    const block = { StringEquals: { 'sts:ExternalId': ['a', 'b'] } };
    assert.ok(holds(block, { 'sts:externalid': 'b' }));
    assert.ok(!holds(block, { 'sts:externalid': 'c' }));
    assert.ok(!holds(block));
    const both = { ...block, StringLike: { 'sts:RoleSessionName': 's-*' } };
    assert.ok(!holds(both, { 'sts:externalid': 'a', 'sts:rolesessionname': 'x' }));
    assert.ok(holds(both, { 'sts:externalid': 'a', 'sts:rolesessionname': 's-1' }));
  });

  it('treat an absent key as IAM does', () => {
    assert.ok(holds({ StringNotEquals: { k: 'a' } }));
    assert.ok(holds({ StringEqualsIfExists: { k: 'a' } }));
    assert.ok(holds({ Null: { k: 'true' } }));
    assert.ok(holds({ Null: { k: true } }));
    assert.ok(!holds({ Null: { k: 'false' } }));
    assert.ok(!holds({ Bool: { k: 'false' } }));
  });

  it('negate over all values', () => {
    const block = { StringNotEquals: { k: ['a', 'b'] } };
    assert.ok(!holds(block, { k: 'a' }));
    assert.ok(holds(block, { k: 'c' }));
  });
});
