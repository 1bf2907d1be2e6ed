import assert from 'node:assert/strict';
import { readUsageType } from '../../../domain/bill/usage-types.ts';

const shown = (usageType: string) => {
  const { region, name, line, storageClass } = readUsageType(usageType);
  return [region, name, line, storageClass];
};

/**
 * Usage types of a real S3 usage report, March 2021, eu-central-1 (github.com/ifosch/accloudtant,
 * tests/fixtures/2021/03/S3.csv at a4737479), and what each is a line of.
 */
const REPORTED = {
  'EUC1-TimedStorage-ByteHrs': ['storage', 'STANDARD'],
  'EUC1-Requests-Tier1': ['put', 'STANDARD'],
  'EUC1-Requests-Tier2': ['get', 'STANDARD'],
  'EUC1-DataTransfer-Out-Bytes': ['egress', null],
  'EUC1-DataTransfer-In-Bytes': ['other', null],
  // What CloudFront fetches does not leave to the internet here.
  'EUC1-CloudFront-Out-Bytes': ['other', null],
} as const;

/** The lines of every class are held against the second computation by `test/unit/oracle`. */
describe('a usage type', () => {
  it('of a real report is mapped, and what is no price line is called other', () => {
    for (const [usageType, [line, storageClass]] of Object.entries(REPORTED))
      assert.deepEqual(shown(usageType), ['eu-central-1', usageType.slice(5), line, storageClass]);
    assert.deepEqual(shown('StorageObjectCount'), [
      'us-east-1',
      'StorageObjectCount',
      'other',
      null,
    ]);
  });

  it('without a prefix is of us-east-1, with an unknown one of no region', () => {
    assert.deepEqual(shown('Requests-INT-Tier2').slice(0, 3), [
      'us-east-1',
      'Requests-INT-Tier2',
      'get',
    ]);
    assert.deepEqual(shown('EU-Retrieval-GIR'), [
      'eu-west-1',
      'Retrieval-GIR',
      'retrieval',
      'GLACIER_IR',
    ]);
    assert.deepEqual(shown('MXC1-TimedStorage-ByteHrs'), [
      null,
      'TimedStorage-ByteHrs',
      'other',
      null,
    ]);
    assert.deepEqual(shown('USE2-EUC1-AWS-Out-Bytes'), [
      'us-east-2',
      'EUC1-AWS-Out-Bytes',
      'other',
      null,
    ]);
  });
});
