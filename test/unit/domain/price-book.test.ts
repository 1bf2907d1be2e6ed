import assert from 'node:assert/strict';
import { CATALOGUE, PROVIDER_NAMES } from '../../../domain/provider/catalogue.ts';
import { fileMonthlyCostUsd } from '../../../domain/pricing/cost.ts';
import { roundUsd } from '../../../domain/pricing/money.ts';
import { createPriceBook } from '../../../domain/pricing/price-book.ts';
import { priceBook, priceBookData } from '../price-book.ts';

describe('the price book', () => {
  it('has a sheet for the upload class of every provider of the catalogue', () => {
    for (const provider of PROVIDER_NAMES) {
      const { defaultRegion, uploadClass } = CATALOGUE[provider];
      assert.deepEqual(priceBook.sheet(provider, defaultRegion, uploadClass).assumptions, []);
      assert.ok(priceBook.maxSinglePutBytes(provider) > 5e9);
    }
  });

  it('has the limits of each provider, in bytes', () => {
    const limits = PROVIDER_NAMES.map((provider) => [
      provider,
      priceBook.maxSinglePutBytes(provider),
      priceBook.maxObjectBytes(provider),
    ]);
    assert.deepEqual(limits, [
      ['aws', 5_368_709_120, 53_687_091_200_000],
      ['r2', 5_363_466_240, 5_492_189_429_760],
      ['b2', 5_368_709_120, 10_000_000_000_000],
    ]);
  });

  it('names a figure that comes from another region, and prices an unknown one as the fallback', () => {
    const sheet = priceBook.sheet('aws', 'eu-west-2', 'STANDARD');
    assert.equal(sheet.storagePerGbMonth[0].usd, 0.024);
    assert.equal(sheet.putUsd, 0.000005);
    assert.match(sheet.assumptions.join('\n'), /putPer1000 in eu-west-2 is priced as in us-east-1/);
    const unknown = priceBook.sheet('aws', 'xx-nowhere-9', 'STANDARD');
    assert.equal(unknown.storagePerGbMonth[0].usd, 0.023);
    assert.ok(unknown.assumptions.length > 0);
  });

  it('has no sheet and no changes for an unknown class', () => {
    const sheet = () => priceBook.sheet('aws', 'us-east-1', 'NO_SUCH_CLASS');
    assert.throws(sheet, /no storagePerGbMonth/);
    assert.equal(priceBook.classSheet('aws', 'us-east-1', 'NO_SUCH_CLASS'), null);
    assert.deepEqual(priceBook.inPlaceSteps('aws', 'NO_SUCH_CLASS'), []);
  });

  it('gives the source region and the confidence of each figure of a class', () => {
    const sheet = priceBook.classSheet('aws', 'eu-central-1', 'STANDARD');
    const [tier] = sheet?.tiers ?? [];
    assert.equal(tier?.perGbMonth.value[1]?.usd, 0.0235);
    const { fallbackRegion, confidence } = tier?.perGbMonth ?? {};
    assert.deepEqual([fallbackRegion, confidence], [null, 'medium']);
    const { value, fallbackRegion: region } = sheet?.retrievalPerGb ?? {};
    assert.deepEqual([value, region], [0, 'us-east-1']);
    assert.equal(sheet?.transition, null);
  });

  it('has the tiers, the monitoring, the overheads and the minimums of the classes that have them', () => {
    const tiered = priceBook.classSheet('aws', 'us-east-1', 'INTELLIGENT_TIERING');
    assert.deepEqual(
      tiered?.tiers.map(({ fromDay, perGbMonth }) => [fromDay, perGbMonth.value[0].usd]),
      [
        [0, 0.023],
        [30, 0.0125],
        [90, 0.004],
      ],
    );
    assert.equal(tiered?.monitoring.value, 0.0000025);
    const archived = priceBook.classSheet('aws', 'us-east-1', 'GLACIER');
    assert.ok(archived?.archived);
    assert.deepEqual(archived.overhead.value, { ownBytes: 32_768, baseBytes: 8192 });
    assert.equal(archived.retrievalPerGb.value, 0);
    const padded = priceBook.classSheet('aws', 'us-east-1', 'GLACIER_IR');
    assert.deepEqual([padded?.minBillableBytes.value, padded?.minDays.value], [131_072, 90]);
    assert.equal(padded?.transition?.value, 0.00002);
  });

  it('has sheets for the target classes of its changes, with a transition price', () => {
    const { classes = {} } = priceBookData.providers['aws']?.regions['us-east-1'] ?? {};
    for (const storageClass of Object.keys(classes))
      for (const { to } of priceBook.inPlaceSteps('aws', storageClass)) {
        const sheet = priceBook.classSheet('aws', 'eu-west-2', to);
        assert.ok(sheet?.transition && !sheet.archived, to);
      }
  });

  it('gives a source for every figure', () => {
    const figures: { value: unknown; source?: string }[] = [];
    const walk = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return;
      if ('value' in node) figures.push(node);
      else Object.values(node).forEach(walk);
    };
    walk(priceBookData.providers);
    assert.ok(figures.length > 100);
    for (const { source } of figures) assert.ok(source && source in priceBookData.sources, source);
  });

  it('throws without a version', () => {
    assert.throws(() => createPriceBook({}), /version/);
  });
});

describe('the cost of one file', () => {
  const hot = { monthsKept: 1, fullReadsPerMonth: 1 };
  const sheet = {
    bytesPerGb: 1e9,
    storagePerGbMonth: [{ uptoGb: null, usd: 0.01 }],
    putUsd: 0,
    getUsd: 0,
    retrievalPerGb: 0,
    egressPerGb: [{ uptoGb: null, usd: 1 }],
    egressFreeMultipleOfStorage: 3,
    minDays: 90,
    minBillableBytes: 131_072,
    assumptions: [],
  } as const;

  it('charges the minimum days and the minimum size of a class', () => {
    assert.equal(roundUsd(fileMonthlyCostUsd(sheet, 1e9, hot)), 0.03);
    assert.equal(roundUsd(fileMonthlyCostUsd(sheet, 0, hot)), roundUsd(0.131072e-3 * 0.03));
    assert.equal(roundUsd(fileMonthlyCostUsd(sheet, 1e9, { ...hot, monthsKept: 12 })), 0.01);
  });

  it('charges egress only above the free multiple of the stored bytes', () => {
    const reads = (fullReadsPerMonth: number) =>
      roundUsd(
        fileMonthlyCostUsd({ ...sheet, minDays: 0 }, 1e9, { monthsKept: 1, fullReadsPerMonth }),
      );
    assert.equal(reads(3), 0.01);
    assert.equal(reads(3.5), 0.51);
  });
});
