import assert from 'node:assert/strict';
import { fileMonthlyCostUsd } from '../../../domain/pricing/cost.ts';
import { roundTo, roundUsd } from '../../../domain/pricing/money.ts';
import {
  createPriceBook,
  parsePriceBook,
  requireSheet,
} from '../../../domain/pricing/price-book.ts';
import type { ClassSheet } from '../../../domain/pricing/price-sheet.ts';
import { UPLOAD_CLASS } from '../../../domain/provider/catalogue.ts';
import { createRequestMeter } from '../../../domain/scan/request-meter.ts';
import { catalogue, priceBook, priceBookData, stores } from '../price-book.ts';

const elsewhere = ({ tiers, put, get, retrievalPerGb, egressPerGb, ...limits }: ClassSheet) =>
  [tiers[0].perGbMonth, put, get, retrievalPerGb, egressPerGb, limits.minDays]
    .filter(({ fallbackRegion }) => fallbackRegion !== null)
    .map(({ name, fallbackRegion }) => `${name} of ${fallbackRegion}`);

/** The figures of the classes are held against the second computation by `test/unit/oracle`. */
describe('the price book', () => {
  it('has a sheet for the upload class of every store of the catalogue, with its own figures only', () => {
    for (const provider of catalogue.providers) {
      const { defaultRegion } = catalogue.entry(provider);
      const sheet = requireSheet(priceBook, provider, defaultRegion, UPLOAD_CLASS);
      assert.deepEqual(elsewhere(sheet), []);
    }
  });

  it('has a price of listings, floors and the minimum sizes that a scan has to count', () => {
    const listings = catalogue.providers.map((provider) => {
      const { defaultRegion } = catalogue.entry(provider);
      const meter = createRequestMeter(priceBook, provider);
      meter.count('list', defaultRegion);
      assert.equal(
        priceBook.classSheet(provider, defaultRegion, UPLOAD_CLASS)?.list.value,
        meter.read().costUsd,
      );
      return [provider, roundTo(meter.read().costUsd, 9), priceBook.floorUsdPerMonth(provider)];
    });
    assert.deepEqual(listings, [
      ['aws', 0.000005, 0],
      ['r2', 0.0000045, 0],
      ['b2', 0, 0],
      ['wasabi', 0, 7.99],
      ['tigris', 0.000005, 0],
    ]);
    assert.deepEqual(priceBook.minBillableSizes, [4096]);
  });

  it('names a figure that comes from another region, and prices an unknown one as the fallback', () => {
    for (const [region, usd, assumed] of [
      ['eu-west-2', 0.024, /putPer1000 of us-east-1/],
      ['xx-nowhere-9', 0.023, /./],
    ] as const) {
      const sheet = requireSheet(priceBook, 'aws', region, 'STANDARD');
      const { perGbMonth } = sheet.tiers[0];
      assert.deepEqual([perGbMonth.value[0].usd, sheet.put.value], [usd, 0.000005]);
      assert.match(elsewhere(sheet).join(), assumed);
    }
  });

  it('has no sheet and no changes for an unknown class, and throws without a version', () => {
    const sheet = () => requireSheet(priceBook, 'aws', 'us-east-1', 'NO_SUCH_CLASS');
    assert.throws(sheet, /no sheet for aws NO_SUCH_CLASS/);
    assert.equal(priceBook.classSheet('aws', 'us-east-1', 'NO_SUCH_CLASS'), null);
    assert.deepEqual(priceBook.inPlaceSteps('aws', 'NO_SUCH_CLASS'), []);
    assert.throws(() => createPriceBook({}, stores), /version/);
  });

  it('is another edition with other figures, and from the day on from which a law forbids a charge', () => {
    const day = priceBook.switchingChargeBan('aws')?.from ?? assert.fail();
    const [before, on] = [new Date(Date.parse(day) - 1), new Date(day)];
    assert.notEqual(priceBook.editionAt(before), priceBook.editionAt(on));
    assert.equal(priceBook.editionAt(before), priceBook.editionAt(new Date('2026-01-01')));
    const other = createPriceBook(
      { ...priceBookData, note: 'other content of the same version' },
      stores,
    );
    assert.notEqual(other.editionAt(on), priceBook.editionAt(on));
  });

  it('of an operator is refused where it lacks a figure', () => {
    assert.equal(parsePriceBook(priceBookData, stores).version, priceBook.version);
    const providers = structuredClone(priceBookData.providers) as Record<string, object>;
    delete providers['r2'];
    assert.throws(() => parsePriceBook({ ...priceBookData, providers }, stores), /r2/);
    assert.throws(() => parsePriceBook([], stores), /version/);
  });

  it('gives a source for every figure', () => {
    let figures = 0;
    const walk = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return;
      if (!('value' in node)) return Object.values(node).forEach(walk);
      figures += 1;
      const { source } = node as { source?: string };
      assert.ok(source && source in priceBookData.sources, source);
    };
    walk(priceBookData.providers);
    assert.ok(figures > 100);
  });
});

describe('the cost of one file', () => {
  const price = <T>(value: T) => ({ value, name: '', fallbackRegion: null, confidence: 'high' });
  const sheet: ClassSheet = {
    ...requireSheet(priceBook, 'b2', 'us-west-004', UPLOAD_CLASS),
    tiers: [{ fromDay: 0, perGbMonth: price([{ uptoGb: null, usd: 0.01 }]) }],
    bytesPerGb: 1e9,
    put: price(0),
    get: price(0),
    retrievalPerGb: price(0),
    egressPerGb: price([{ uptoGb: null, usd: 1 }]),
    egressFreeMultipleOfStorage: 3,
    minBillableBytes: price(131_072),
  };
  for (const [what, bytes, monthsKept, fullReadsPerMonth, minDays, usd] of [
    ['charges the minimum days of a class', 1e9, 1, 1, 90, 0.03],
    ['charges no minimum days that have passed', 1e9, 12, 1, 90, 0.01],
    ['charges the minimum size of a class', 0, 1, 1, 90, roundUsd(0.131072e-3 * 0.03)],
    ['charges no egress up to the free multiple of the stored bytes', 1e9, 1, 3, 0, 0.01],
    ['charges egress above it', 1e9, 1, 3.5, 0, 0.51],
  ] as const)
    it(what, () => {
      const profile = { monthsKept, fullReadsPerMonth };
      assert.equal(
        roundUsd(fileMonthlyCostUsd({ ...sheet, minDays: price(minDays) }, bytes, profile)),
        usd,
      );
    });
});
