import assert from 'node:assert/strict';
import type { AwsDouble } from '../../dev/aws-double/index.ts';
import { bandedUsd } from '../../domain/pricing/cost.ts';
import { requireSheet, type PriceBook } from '../../domain/pricing/price-book.ts';
import type { Drill, DrillRequest, Drills } from '../../sdk/src/index.ts';

/** A bucket of the double as a drill's place, with the prices that hold there. */
interface PricedBucket {
  readonly bucket: string;
  readonly provider: 'aws' | 'b2';
  readonly region: string;
}

interface Case {
  readonly drills: Drills;
  readonly double: AwsDouble;
  readonly request: DrillRequest;
  readonly from: PricedBucket;
  readonly to: PricedBucket;
  /** The bytes of all files in the sample. */
  readonly bytes: number;
}

const BILLED_AS: Readonly<Record<string, 'get' | 'put' | 'list' | null>> = {
  GetObject: 'get',
  HeadObject: 'get',
  ListObjectsV2: 'list',
  ListObjectVersions: 'list',
  ListMultipartUploads: 'list',
  PutObject: 'put',
  CreateMultipartUpload: 'put',
  UploadPart: 'put',
  CompleteMultipartUpload: 'put',
  DeleteObject: null,
  AbortMultipartUpload: null,
};

/**
 * Asserts that a drill costs what its stores were asked for and have sent, by the price book, and no
 * more than was estimated. The double has recorded the requests.
 */
export async function assertCost(book: PriceBook, given: Case): Promise<Drill> {
  const { drills, double, request, from, to, bytes } = given;
  const { totalUsd } = await drills.estimate(request);
  const sent = () =>
    double.requests().filter(({ bucket }) => bucket === from.bucket || bucket === to.bucket);
  const before = sent().length;
  // It is refused after the trial of its places, whose requests are not a drill's.
  await assert.rejects(drills.start({ ...request, maxTotalUsd: 0 }));
  const tried = sent().slice(before);
  const { drillId } = await drills.start({ ...request, maxTotalUsd: totalUsd });
  const drill = await drills.waitFor(drillId, { pollMs: 100 });
  assert.deepEqual([drill.status, drill.results.failed], ['completed', 0], JSON.stringify(drill));
  const requests = sent().slice(before + tried.length);

  const usdOf = (each: (typeof requests)[number]) => {
    const { provider, region } = each.bucket === from.bucket ? from : to;
    const billed = BILLED_AS[each.operation];
    assert.ok(billed !== undefined, each.operation);
    return billed && requireSheet(book, provider, region, 'STANDARD')[billed].value;
  };
  const sum = (of: typeof requests) => of.reduce((usd, each) => usd + (usdOf(each) ?? 0), 0);
  const egressUsd = [from, to].reduce((usd, { provider, region }) => {
    const { egressPerGb, bytesPerGb } = requireSheet(book, provider, region, 'STANDARD');
    return usd + bandedUsd(egressPerGb.value, bytes / bytesPerGb);
  }, 0);
  const expected = sum(requests) - sum(tried) + egressUsd;
  assert.equal(drill.results.requests, requests.length - tried.length);
  assert.ok(Math.abs(drill.costUsd - expected) < 1e-6, `${drill.costUsd} is not ${expected}`);
  assert.ok(drill.costUsd > 0 && drill.costUsd <= totalUsd, `${drill.costUsd} > ${totalUsd}`);
  return drill;
}
