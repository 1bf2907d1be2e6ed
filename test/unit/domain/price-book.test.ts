import assert from 'node:assert/strict';
import { fileMonthlyCostUsd } from '../../../domain/pricing/cost.ts';
import { roundTo, roundUsd } from '../../../domain/pricing/money.ts';
import {
  createPriceBook,
  parsePriceBook,
  requireSheet,
} from '../../../domain/pricing/price-book.ts';
import type { ClassSheet } from '../../../domain/pricing/price-sheet.ts';
import { UPLOAD_CLASS } from '../../../domain/providers/catalogue.ts';
import { createRequestMeter } from '../../../domain/scans/request-meter.ts';
import { catalogue, priceBook, priceBookData, stores } from '../price-book.ts';

const elsewhere = ({ tiers, put, get, retrievalPerGb, egressPerGb, ...limits }: ClassSheet) =>
  [tiers[0].perGbMonth, put, get, retrievalPerGb, egressPerGb, limits.minDays]
    .filter(({ fallbackRegion }) => fallbackRegion !== null)
    .map(({ name, fallbackRegion }) => `${name} of ${fallbackRegion}`);

/** The project's book with another value, or without one, at a path of its providers. */
function changedBook(path: string, value: unknown): object {
  const data = structuredClone(priceBookData);
  const names = path.split('/');
  const last = names.pop() ?? '';
  let at = data.providers as Record<string, unknown>;
  for (const name of names) at = at[name] as Record<string, unknown>;
  at[last] = value;
  return JSON.parse(JSON.stringify(data)) as object;
}

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

  /** A book in which eu-west-2 lacks the storage rate of a class and all its other figures. */
  const withoutFigures = () => {
    const data = structuredClone(priceBookData);
    const { classes } = data.providers['aws']?.regions['eu-west-2'] ?? assert.fail();
    classes['GLACIER'] = {};
    return createPriceBook(data, stores);
  };

  it('prices what a region lacks by us-east-1 for storage, and else by the highest of all, and names the region', () => {
    const missing = requireSheet(withoutFigures(), 'aws', 'eu-west-2', 'GLACIER');
    const [storage] = missing.tiers[0].perGbMonth.value;
    assert.equal(roundTo(storage.usd, 12), roundTo((0.0036 * 0.024) / 0.023, 12));
    assert.equal(roundTo(missing.put.value, 9), 0.000042);
    assert.deepEqual(elsewhere(missing), [
      'storagePerGbMonth of us-east-1',
      'putPer1000 of sa-east-1',
      'getPer1000 of sa-east-1',
    ]);
    assert.equal(priceBook.hasRegion('aws', 'xx-nowhere-9'), false);
    const unknown = requireSheet(priceBook, 'aws', 'xx-nowhere-9', 'STANDARD');
    assert.deepEqual(
      unknown.tiers[0].perGbMonth.value,
      requireSheet(priceBook, 'aws', 'us-east-1', 'STANDARD').tiers[0].perGbMonth.value,
    );
    assert.equal(unknown.put.value, 0.000007);
    assert.equal(unknown.egressPerGb.value[0].usd, 0.154);
    assert.deepEqual(elsewhere(unknown), [
      'storagePerGbMonth of us-east-1',
      'putPer1000 of sa-east-1',
      'getPer1000 of sa-east-1',
      'egress of af-south-1',
    ]);
    const tiered = requireSheet(priceBook, 'aws', 'xx-nowhere-9', 'INTELLIGENT_TIERING');
    const rates = tiered.tiers.map(({ perGbMonth }) => perGbMonth.value[0].usd);
    assert.deepEqual(rates, [0.023, 0.0125, 0.004]);
  });

  it('lists the changes of class in the order that decides ties, each with the price of a transition', () => {
    const steps = ['STANDARD', 'STANDARD_IA', 'GLACIER'].flatMap((from) =>
      priceBook.inPlaceSteps('aws', from).map(({ to, minAgeDays }) => [from, to, minAgeDays]),
    );
    assert.deepEqual(steps, [
      ['STANDARD', 'STANDARD_IA', 30],
      ['STANDARD', 'GLACIER_IR', 0],
      ['STANDARD', 'INTELLIGENT_TIERING', 30],
      ['STANDARD_IA', 'GLACIER_IR', 0],
      ['GLACIER', 'DEEP_ARCHIVE', 90],
    ]);
    for (const [, to] of steps)
      assert.ok(requireSheet(priceBook, 'aws', 'eu-central-1', String(to)).transition?.value);
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

  it('of an operator is refused where it lacks a figure, which is named', () => {
    assert.equal(parsePriceBook(priceBookData, stores).version, priceBook.version);
    for (const [path, value, message] of [
      ['r2', undefined, /r2/],
      ['r2/baseClass', undefined, /r2 lacks baseClass/],
      ['aws/fallbackRegion', 'eu-mars-1', /aws lacks its fallback region eu-mars-1/],
      ['aws/regions/eu-west-1/billPrefixes', undefined, /aws lacks billPrefixes of eu-west-1/],
      ['b2/regions/*/confidence', undefined, /b2 lacks the confidence of \*/],
      [
        'r2/regions/*/classes/STANDARD/putPer1000',
        undefined,
        /it lacks figures of r2 STANDARD in \*/,
      ],
      // The form of earlier versions.
      [
        'b2/regions/*/classes/STANDARD/putPer1000',
        { value: 0, confidence: 'high' },
        /b2 lacks a price for putPer1000 of STANDARD in \*/,
      ],
    ] as const)
      assert.throws(() => parsePriceBook(changedBook(path, value), stores), message);
    assert.throws(() => parsePriceBook([], stores), /version/);
  });

  it('gives a source for the figures of every region', () => {
    for (const [provider, { regions }] of Object.entries(priceBookData.providers))
      for (const [region, { sources }] of Object.entries(regions)) {
        assert.ok(sources.length > 0, `${provider} ${region}`);
        for (const source of sources) assert.ok(source in priceBookData.sources, source);
      }
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
