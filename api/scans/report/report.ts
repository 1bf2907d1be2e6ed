import type { ScannedBucket, ScanRecord } from '../../../domain/scan/scan.ts';
import type { RecommendationRecord } from '../../../domain/recommendation/recommendation.ts';
import type { Page } from './blocks.ts';
import { toReported, type ReportedBucket } from './bucket-sections.ts';
import { reportPage, type ReportInput } from './content.ts';
import { toHtml } from './html.ts';
import { toMarkdown } from './markdown.ts';

/** The formats of a report, the default one first. */
export const REPORT_MEDIA = ['text/markdown', 'text/html'] as const;

const WRITERS: Readonly<Record<(typeof REPORT_MEDIA)[number], (page: Page) => string>> = {
  'text/markdown': toMarkdown,
  'text/html': toHtml,
};

/** The result of a completed scan. */
interface CompletedScan {
  readonly scan: ScanRecord;
  readonly buckets: AsyncIterable<ScannedBucket>;
  readonly recommendations: AsyncIterable<RecommendationRecord>;
  readonly now: Date;
}

/** The result of a completed scan as a page that a person reads. */
export async function presentReport(
  completed: CompletedScan,
  { awsAccount, switchingChargeBan }: Pick<ReportInput, 'awsAccount' | 'switchingChargeBan'>,
  media: (typeof REPORT_MEDIA)[number],
): Promise<string> {
  const buckets: ReportedBucket[] = [];
  for await (const bucket of completed.buckets) buckets.push(toReported(bucket));
  const recommendations: RecommendationRecord[] = [];
  for await (const recommendation of completed.recommendations)
    recommendations.push(recommendation);
  const { scan, now } = completed;
  const input = { scan, awsAccount, buckets, recommendations, now, switchingChargeBan };
  return WRITERS[media](reportPage(input));
}
