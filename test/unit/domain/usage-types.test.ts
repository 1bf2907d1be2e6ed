import assert from 'node:assert/strict';
import type { BillRow } from '../../../domain/bill/bill.ts';
import { paidInternetRate, priceFactors } from '../../../domain/bill/price-factors.ts';
import { isRead, readUsageType } from '../../../domain/bill/usage-types.ts';
import { priceBook } from '../price-book.ts';

const { billRegions } = priceBook;

const shown = (usageType: string) => {
  const { region, name, line, storageClass } = readUsageType(usageType, billRegions);
  return [region, name, line, storageClass];
};

/**
 * Usage types of a real S3 usage report, March 2021, eu-central-1 (github.com/ifosch/accloudtant,
 * tests/fixtures/2021/03/S3.csv at a4737479), what each is a line of, and where its bytes went.
 */
const REPORTED = {
  'EUC1-TimedStorage-ByteHrs': ['storage', 'STANDARD', null],
  'EUC1-Requests-Tier1': ['put', 'STANDARD', null],
  'EUC1-Requests-Tier2': ['get', 'STANDARD', null],
  'EUC1-DataTransfer-Out-Bytes': ['egress', null, 'internet'],
  'EUC1-DataTransfer-In-Bytes': ['other', null, 'outsideIn'],
  'EUC1-CloudFront-Out-Bytes': ['other', null, 'contentNetwork'],
  'EUC1-C3DataTransfer-Out-Bytes': ['other', null, 'insideOut'],
  'EUC1-C3DataTransfer-In-Bytes': ['other', null, 'insideIn'],
  'EUC1-USE1-AWS-Out-Bytes': ['other', null, 'insideOut'],
  'EUC1-USE1-AWS-In-Bytes': ['other', null, 'insideIn'],
} as const;

/** The lines of every class are held against the second computation by `test/unit/oracle`. */
describe('a usage type', () => {
  it('of a real report is mapped, and what is no price line is called other', () => {
    for (const [usageType, [line, storageClass, transfer]] of Object.entries(REPORTED)) {
      assert.deepEqual(shown(usageType), ['eu-central-1', usageType.slice(5), line, storageClass]);
      assert.equal(readUsageType(usageType, billRegions).transfer, transfer);
    }
    assert.deepEqual(shown('StorageObjectCount'), [
      'us-east-1',
      'StorageObjectCount',
      'other',
      null,
    ]);
  });

  it('begins with what its region is known by: without a prefix it is of us-east-1, with an unknown one of none', () => {
    for (const [usageType, ...expected] of [
      ['Requests-INT-Tier2', 'us-east-1', 'Requests-INT-Tier2', 'get', 'INTELLIGENT_TIERING'],
      ['USE1-Requests-INT-Tier2', 'us-east-1', 'Requests-INT-Tier2', 'get', 'INTELLIGENT_TIERING'],
      ['EU-Retrieval-GIR', 'eu-west-1', 'Retrieval-GIR', 'retrieval', 'GLACIER_IR'],
      ['CPT-Requests-Tier1', 'af-south-1', 'Requests-Tier1', 'put', 'STANDARD'],
      ['MXC1-TimedStorage-ByteHrs', 'mx-central-1', 'TimedStorage-ByteHrs', 'storage', 'STANDARD'],
      ['XXX9-Requests-Tier1', null, 'Requests-Tier1', 'put', 'STANDARD'],
      ['USE2-EUC1-AWS-Out-Bytes', 'us-east-2', 'EUC1-AWS-Out-Bytes', 'other', null],
    ] as const)
      assert.deepEqual(shown(usageType), expected);
  });

  it('of storage that no listing explains is storage of no class', () => {
    for (const [usageType, ...expected] of [
      ['TimedStorage-XZ-ByteHrs', 'us-east-1', 'TimedStorage-XZ-ByteHrs'],
      ['EUC1-Tables-TimedStorage-ByteHrs', 'eu-central-1', 'Tables-TimedStorage-ByteHrs'],
      ['XXX9-TimedStorage-ByteHrs', null, 'TimedStorage-ByteHrs'],
      ['XXX9-TimedStorage-GlacierStaging', null, 'TimedStorage-GlacierStaging'],
    ] as const)
      assert.deepEqual(shown(usageType), [...expected, 'storage', null]);
    assert.deepEqual(shown('TimedStorage-GlacierStaging').slice(2), ['storage', 'STANDARD']);
    assert.deepEqual(shown('TimedStorage-GIR-SmObjects').slice(2), ['storage', 'GLACIER_IR']);
  });

  it('is of reads where the operation gets an object, for a website too', () => {
    const operations = ['GetObject', 'WebsiteGetObject', 'HeadObject', 'GetObjectTagging'];
    assert.deepEqual(operations.map(isRead), [true, true, false, false]);
  });
});

describe('what a bill says was paid', () => {
  const row = (
    usageType: string,
    quantity: number,
    listUsd: number,
    netUsd = listUsd,
  ): BillRow => ({
    usageType,
    operation: 'GetObject',
    quantity,
    unit: 'GB',
    listUsd,
    netUsd,
  });
  const bill = (...rows: BillRow[]) => ({ period: '2026-10', estimated: false, rows });
  const rateOf = (...rows: BillRow[]) => paidInternetRate(bill(...rows), billRegions, 'eu-west-1');

  it('for a GB to the internet is what all of its region cost together', () => {
    const other = row('EUC1-DataTransfer-Out-Bytes', 1000, 90);
    const free = row('EU-DataTransfer-Out-Bytes', 100, 0);
    assert.equal(rateOf(free, row('EU-DataTransfer-Out-Bytes', 100, 9, 8), other), 0.04);
    assert.equal(rateOf(free, row('EU-CloudFront-Out-Bytes', 900, 81)), 0);
  });

  it('for a GB to the internet is not known of less than one', () => {
    assert.equal(rateOf(row('EU-DataTransfer-Out-Bytes', 0.99, 0.09)), null);
    assert.equal(rateOf(), null);
  });

  it('of storage without a class has a factor of its own', () => {
    const { own } = priceFactors(
      bill(row('EU-TimedStorage-XZ-ByteHrs', 10, 1, 0.5), row('EU-TimedStorage-ByteHrs', 10, 1)),
      billRegions,
    );
    const storage = { region: 'eu-west-1', line: 'storage' };
    assert.deepEqual(own, [
      { ...storage, storageClass: null, factor: 0.5 },
      { ...storage, storageClass: 'STANDARD', factor: 1 },
    ]);
  });
});
