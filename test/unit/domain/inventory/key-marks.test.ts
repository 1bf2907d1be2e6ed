import assert from 'node:assert/strict';
import { toKeyMarks } from '../../../../domain/inventory/key-marks.ts';
import { leftAlonePatterns } from '../../left-alone.ts';

describe('what is left alone by its name', () => {
  const MARKS: Readonly<Record<string, readonly string[]>> = {
    'AWSLogs/111122223333/CloudTrail/x.json.gz': ['aws_logs'],
    'AWSLogs/': ['aws_logs'],
    '/AWSLogs/x': ['aws_logs'],
    'trail/AWSLogs/x': ['aws_logs'],
    'trail/AWSLogs': [],
    AWSLogs: [],
    'trail/MyAWSLogs/x': [],
    'trail/awslogs/x': [],
    'terraform.tfstate': ['state'],
    'env/prod/main.tfstate': ['state'],
    'env/prod/main.tfstate.lock': [],
    'lake/t/_delta_log/00.json': ['table'],
    '.hoodie/x': ['table'],
    'lake/t/metadata/00-a.metadata.json': ['table'],
    'metadata/00-a.metadata.json': ['table'],
    'lake/t/metadata/a/00.metadata.json': [],
    'lake/t/00-a.metadata.json': [],
    'lake/metadata/snap.avro': [],
    'AWSLogs/_delta_log/x.tfstate': ['aws_logs', 'state', 'table'],
    'photos/2024/01/cat.jpg': [],
    '': [],
  };

  it('are keys with the patterns of logs, states and tables, in any order', () => {
    for (const order of [Object.keys(MARKS), Object.keys(MARKS).toReversed()])
      for (const key of [...order, ...order])
        assert.deepEqual(toKeyMarks(leftAlonePatterns.marksOf(key)), MARKS[key], key);
  });

  it('are buckets of tools', () => {
    for (const name of ['cdk-hnb659fds-assets-1', 'sagemaker-x', 'my-serverlessdeploymentbucket-1'])
      assert.ok(leftAlonePatterns.toolOf(name), name);
    for (const name of ['media', 'my-cdk-1', 'sagemakers'])
      assert.ok(!leftAlonePatterns.toolOf(name), name);
  });
});
