import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { requireSheet } from '../../../domain/pricing/price-book.ts';
import { priceBook, stores } from '../price-book.ts';

/** The facts as they were collected (`test/oracle/facts`), beside the price book and the catalogue. */

type Bands = readonly { readonly uptoGb: number | null; readonly usd: number }[];

type ClassFacts = {
  readonly overheadKiB?: { readonly atClassRate: number; readonly atStandardRate: number };
  readonly storagePerGbMonth?: number | Bands;
} & {
  readonly [
    Name in
      | 'frequentPerGbMonth'
      | 'infrequentPerGbMonth'
      | 'archiveInstantPerGbMonth'
      | 'archivePerGbMonth'
      | 'deepArchivePerGbMonth'
      | 'monitoringPer1000ObjectsMonth'
      | 'putPer1000'
      | 'getPer1000'
      | 'retrievalPerGb'
      | 'minDays'
      | 'minBillableKiB'
      | 'transitionIntoPer1000'
  ]?: number;
};

interface RegionFacts {
  readonly billPrefixes: readonly string[];
  readonly confidence: string;
  readonly classes: Readonly<Record<string, ClassFacts>>;
  readonly egressInternetPerGb: Bands;
}

const readFacts = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../oracle/facts/${name}`, import.meta.url), 'utf8'));

const facts = readFacts('prices.json');
/** Regions of another partition have another host and cannot be audited. */
const regions = Object.entries(facts.aws.regions as Record<string, RegionFacts>).filter(
  ([region]) => !region.startsWith('us-gov-'),
);

const asBands = (price: number | Bands = 0) =>
  typeof price === 'number' ? [{ uptoGb: null, usd: price }] : price;
const tierRates = (figures: ClassFacts) =>
  figures.frequentPerGbMonth === undefined
    ? [figures.storagePerGbMonth]
    : [figures.frequentPerGbMonth, figures.infrequentPerGbMonth, figures.archiveInstantPerGbMonth];
/** The price of each request, from that of 1,000. */
const each = (per1000: number | undefined) => (per1000 ?? 0) / 1000;

describe('the prices of the project', () => {
  it('have the 33 commercial regions and what their usage types begin with', () => {
    assert.equal(regions.length, 33);
    assert.deepEqual(
      new Map(
        regions.flatMap(([region, { billPrefixes }]) => billPrefixes.map((p) => [p, region])),
      ),
      priceBook.billRegions,
    );
  });

  for (const [region, { classes, confidence, egressInternetPerGb }] of regions)
    it(`of ${region} are the facts, none from another region`, () => {
      for (const [storageClass, figures] of Object.entries(classes)) {
        const sheet = requireSheet(priceBook, 'aws', region, storageClass);
        const { tiers, overhead } = sheet;
        const found = {
          tiers: tiers.map(({ perGbMonth }) => perGbMonth.value),
          overhead: overhead.value,
          bytesPerGb: sheet.bytesPerGb,
          monitoring: sheet.monitoring.value,
          put: sheet.put.value,
          get: sheet.get.value,
          retrievalPerGb: sheet.retrievalPerGb.value,
          egressPerGb: sheet.egressPerGb.value,
          minDays: sheet.minDays.value,
          minBillableBytes: sheet.minBillableBytes.value,
          transition: sheet.transition?.value ?? 0,
        };
        assert.deepEqual(
          found,
          {
            tiers: tierRates(figures).map(asBands),
            overhead: {
              ownBytes: (figures.overheadKiB?.atClassRate ?? 0) * 1024,
              baseBytes: (figures.overheadKiB?.atStandardRate ?? 0) * 1024,
            },
            bytesPerGb: facts.units.aws.bytesPerGb,
            monitoring: each(figures.monitoringPer1000ObjectsMonth),
            put: each(figures.putPer1000),
            get: each(figures.getPer1000),
            retrievalPerGb: figures.retrievalPerGb ?? 0,
            egressPerGb: egressInternetPerGb,
            minDays: figures.minDays ?? 0,
            minBillableBytes: (figures.minBillableKiB ?? 0) * 1024,
            transition: each(figures.transitionIntoPer1000),
          },
          storageClass,
        );
        for (const { fallbackRegion, ...price } of [sheet.put, sheet.get, sheet.egressPerGb])
          assert.deepEqual([fallbackRegion, price.confidence], [null, confidence]);
      }
      const { list, put } = requireSheet(priceBook, 'aws', region, 'STANDARD');
      assert.equal(list.value, put.value);
      // These tiers have no figure of their own in the price book.
      const tiered = classes['INTELLIGENT_TIERING'];
      assert.deepEqual(
        [tiered?.archivePerGbMonth, tiered?.deepArchivePerGbMonth],
        [classes['GLACIER'], classes['DEEP_ARCHIVE']].map((of) => of?.storagePerGbMonth),
      );
    });

  it('of other stores are the facts', () => {
    const { r2, b2, aws } = facts;
    const figures = (provider: string, storageClass: string) => {
      const sheet = requireSheet(priceBook, provider, 'auto', storageClass);
      const { put, get, list, retrievalPerGb, minDays, tiers, egressPerGb } = sheet;
      return [
        tiers[0].perGbMonth.value[0].usd,
        ...[put, get, list].map(({ value }) => Math.round(value * 1e12)),
        retrievalPerGb.value,
        minDays.value,
        egressPerGb.value[0].usd,
        sheet.bytesPerGb,
        sheet.egressFreeMultipleOfStorage,
      ];
    };
    const millions = (usd: number) => Math.round(usd * 1e6);
    for (const storageClass of ['STANDARD', 'STANDARD_IA']) {
      const of = r2[storageClass];
      const put = millions(of.classAPerMillion.value);
      assert.deepEqual(figures('r2', storageClass), [
        of.storagePerGbMonth.value,
        put,
        millions(of.classBPerMillion.value),
        put,
        of.retrievalPerGb.value,
        of.minDays.value,
        r2.egressPerGb.value,
        facts.units.r2.bytesPerGb,
        0,
      ]);
    }
    const { overagePerGb, freeMultipleOfAverageMonthlyStorage: multiple } = b2.egress.value;
    assert.deepEqual(figures('b2', 'STANDARD'), [
      b2.storagePerGbMonth.value,
      b2.classA.value,
      b2.classB.value,
      b2.classC.value,
      0,
      b2.minDays.value,
      overagePerGb,
      facts.units.b2.bytesPerGb,
      multiple,
    ]);
    const { value, confidence } = priceBook.insideReadPerGb('aws');
    const { natProcessingPerGb: nat } = aws;
    assert.deepEqual([value, confidence], [nat.value, nat.confidence]);
    assert.equal(priceBook.insideReadPerGb('b2').value, 0);
  });

  it('of the stores of the catalogue are the facts', () => {
    const { note: _, ...others } = readFacts('stores.json') as Record<string, object>;
    for (const [provider, entry] of Object.entries(others)) {
      const known = stores.find((store) => store.provider === provider) ?? assert.fail(provider);
      assert.deepEqual({ ...known, ...entry }, known);
    }
  });
});
