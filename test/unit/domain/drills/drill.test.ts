import assert from 'node:assert/strict';
import {
  certificateHead,
  certificateJson,
  readCertificate,
} from '../../../../domain/drills/certificate.ts';
import {
  costOf,
  notTried,
  summarize,
  type DrillRecord,
  type Sampled,
} from '../../../../domain/drills/drill.ts';
import {
  estimateDrill,
  filesFor,
  hoursForAll,
  scaleGroups,
} from '../../../../domain/drills/estimate.ts';
import type { LedgerLine } from '../../../../domain/migrations/object-ledger.ts';
import { FileSums } from '../../../../domain/relocations/estimate.ts';
import { certificatePage } from '../../../../report/drill-certificate.ts';
import { toHtml } from '../../../../report/html.ts';
import { describeWhole } from '../../../../shared/drills.ts';
import { priceBook } from '../../price-book.ts';

const AT = new Date('2026-06-01T00:00:00.000Z');
const FROM = { provider: 'aws', bucketName: 'old', region: 'us-east-1' } as const;
const TO = { provider: 'b2', bucketName: 'new', region: 'us-west-004' } as const;
const NO_FREE = { from: 0, to: 0 };

function groupsOf(count: number, sizeBytes: number) {
  const sums = new FileSums(priceBook, AT);
  for (let at = 0; at < count; at += 1) sums.add({ sizeBytes, createdAt: AT });
  return sums.list();
}

const line = (n: number, part: Partial<LedgerLine> = {}): LedgerLine => ({
  key: `a/${n}<b>`,
  targetKey: `drill/d/0000${n}`,
  bytes: 1_000,
  sourceEtag: `etag-${n}`,
  sha256: String(n).repeat(64),
  targetEtag: 't',
  outcome: 'copied',
  attempts: 1,
  at: AT.toISOString(),
  notCarried: [],
  readBack: 'equal',
  ...part,
});

const { readBack: _unread, ...unread } = line(4);
const NOT_COPIED: LedgerLine = { ...unread, outcome: 'failed', code: 'source_missing' };
const LINES = [
  line(1),
  line(2, { attempts: 3 }),
  line(3, { readBack: 'target_differs' }),
  NOT_COPIED,
];

const SAMPLED: Sampled = {
  manifestId: 'm',
  pages: 1,
  files: 4,
  bytes: 4_000,
  strata: [{ what: 's', files: 4, bytes: 4_000, ofFiles: 10, ofBytes: 10_000 }],
  leftOut: { archived: 2, unpriced: 0, tooLarge: 1, withoutRoom: 0 },
  bytesUsd: { read: 2, readBack: 0.4, kept: 1 },
  whole: { files: 10, bytes: 10_000, onceUsd: 10, monthlyUsd: 1 },
};

const DRILL: DrillRecord = {
  drillId: 'd',
  accountId: 'a',
  status: 'completed',
  from: FROM,
  connectionId: null,
  place: FROM,
  to: TO,
  seed: 'seed',
  size: { files: 4 },
  sampleFiles: 4,
  maxTotalUsd: 5,
  startedBy: 'ada',
  startedByName: 'Ada <Example>',
  requestId: 'r',
  startedAt: AT,
  sampled: SAMPLED,
  page: 1,
  copyMs: 2_000,
  used: { requests: 9, usd: 0.5, bytesRead: 4_000, bytesReadBack: 3_000 },
  stopping: null,
  removingSince: AT,
  removed: true,
  left: [],
  results: null,
  completedAt: AT,
  error: null,
  certificateHead: null,
  certificateSha256: null,
};

describe('the estimate of a drill', () => {
  it('is the quote of its copies, the listing of all, and what reading back costs', () => {
    const places = { from: FROM, to: TO, freeGb: NO_FREE };
    const groups = groupsOf(100, 10 ** 9);
    const alone = estimateDrill(priceBook, places, groups, 0);
    const listed = estimateDrill(priceBook, places, groups, 1_000_000);
    const perPage = (listed.totalUsd - alone.totalUsd) / 999;
    assert.ok(Math.abs(perPage - 0.000005) < 0.0000005, String(perPage));
    assert.ok(alone.readBackUsd > 0);
    assert.ok(Math.abs(alone.totalUsd - alone.quote.totalUsd - alone.readBackUsd) < 0.011);
    const free = estimateDrill(priceBook, { ...places, freeGb: { from: 0, to: 1_000 } }, groups, 0);
    assert.ok(free.readBackUsd < alone.readBackUsd);
  });

  it('is of as many files as the sample has, by the mean of all', () => {
    const whole = { files: 1_000, bytes: 1_000_000 };
    assert.equal(filesFor({ files: 20 }, whole), 20);
    assert.equal(filesFor({ files: 20_000 }, { ...whole, files: 50_000 }), 10_000);
    assert.equal(filesFor({ files: 20 }, { files: 3, bytes: 9 }), 3);
    assert.equal(filesFor({ bytes: 5_000 }, whole), 5);
    assert.equal(filesFor({ bytes: 1 }, whole), 1);
    assert.equal(filesFor({ files: 20 }, { files: 0, bytes: 0 }), 0);
    const [scaled] = scaleGroups(groupsOf(1_000, 1_000), { files: 10, bytes: 10_000 });
    assert.deepEqual([scaled?.objects, scaled?.bytes], [10, 10_000]);
  });

  it('says how long all takes, by objects and by bytes', () => {
    const measured = { copied: 100, bytesCopied: 100e6 };
    const hours = (bytes: number) => hoursForAll(measured, 10_000, { files: 1e6, bytes });
    assert.deepEqual(hours(1e12), { hoursFrom: 11.1, hoursTo: 17.4 });
    assert.deepEqual(hours(2e12), { hoursFrom: 11.1, hoursTo: 34.7 });
    assert.equal(hoursForAll({ copied: 0, bytesCopied: 0 }, 10, { files: 1, bytes: 1 }), null);
  });
});

describe('the certificate of a drill', () => {
  const results = summarize(LINES, DRILL);
  const json = certificateJson(certificateHead(DRILL, results), LINES);
  const certificate = readCertificate(json);

  it('counts what was copied, read back and equal, and what failed and why', () => {
    const { copied, readBack, equal, failed, byCode, retries, bytesPerSecond } = results;
    assert.deepEqual([copied, readBack, equal, failed, retries], [3, 3, 2, 2, 2]);
    assert.deepEqual(byCode, [
      { code: 'source_missing', files: 1 },
      { code: 'target_differs', files: 1 },
    ]);
    assert.equal(bytesPerSecond, 1_500);
    assert.equal(costOf(DRILL, results), 3.55);
    assert.deepEqual(
      certificate.objects.map(({ key }) => key),
      ['a/1<b>', 'a/2<b>'],
    );
  });

  it('has the same bytes each time, of fields in one order', () => {
    const { provider, ...place } = FROM;
    const stored = { ...DRILL, from: { ...place, provider } };
    assert.equal(certificateJson(certificateHead(stored, results), LINES), json);
    assert.equal(JSON.stringify(certificate), json);
  });

  it('names only what was not tried', () => {
    const said = notTried(DRILL);
    assert.ok(said.includes('6 objects not in the sample'));
    assert.ok(said.includes('1 object larger than the target stores'));
    assert.ok(said.some((each) => each.startsWith('2 objects in archived classes')));
    assert.ok(!said.some((each) => each.includes('without a price')));
  });

  it('is a page that escapes what others have named', () => {
    const html = toHtml(certificatePage(certificate, 'f'.repeat(64)));
    assert.ok(html.includes('a/1&lt;b&gt;') && html.includes('Ada &lt;Example&gt;'));
    assert.ok(!html.includes('<b>') && !html.includes('<script'));
    assert.ok(html.includes('f'.repeat(64)));
  });
});

describe('what a drill means for the whole', () => {
  const whole = { files: 9, bytes: 4.2e12, onceUsd: 384, monthlyUsd: 29 };
  for (const [hoursFrom, hoursTo, said] of [
    [31, 48.5, '31 to 48.5 hours with two workers'],
    [0, 0, 'under 0.1 hours with two workers'],
    [null, null, 'no rate was measured'],
  ] as const)
    it(`is said so: ${said}`, () => {
      const text = describeWhole({ ...whole, hoursFrom, hoursTo });
      assert.equal(text, `9 files, 4.2 TB: ${said}, $384.00 once, then $29.00 a month`);
    });
});
