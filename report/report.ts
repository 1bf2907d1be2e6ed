import type { ScannedBucket, ScanRecord } from '../domain/scans/scan.ts';
import type { RecommendationRecord } from '../domain/recommendations/recommendation.ts';
import type { Page } from './blocks.ts';
import { toReported, type ReportedBucket } from './bucket-sections.ts';
import { reportPage, type ReportInput } from './content.ts';
import { toCsv } from './csv.ts';
import { toHtml } from './html.ts';
import { toMarkdown } from './markdown.ts';

/** The formats of a report, the default one first. */
export const REPORT_MEDIA = ['text/markdown', 'text/html', 'text/csv'] as const;
export type ReportMedia = (typeof REPORT_MEDIA)[number];

const WRITERS: Readonly<Record<Exclude<ReportMedia, 'text/csv'>, (page: Page) => string>> = {
  'text/markdown': toMarkdown,
  'text/html': toHtml,
};

/** The result of a completed scan. */
interface CompletedScan {
  readonly scan: ScanRecord;
  readonly buckets: AsyncIterable<ScannedBucket>;
  readonly recommendations: AsyncIterable<{ readonly recommendation: RecommendationRecord }>;
  readonly now: Date;
}

/** The result of a completed scan as a page, or its recommendations for a spreadsheet. */
export async function presentReport(
  completed: CompletedScan,
  about: Pick<ReportInput, 'sourceAccount' | 'catalogue' | 'switchingChargeBan' | 'dashboardUrl'>,
  media: ReportMedia,
): Promise<string> {
  const { scan, now } = completed;
  const recommendations: RecommendationRecord[] = [];
  for await (const { recommendation } of completed.recommendations)
    recommendations.push(recommendation);
  if (media === 'text/csv') return toCsv(recommendations, now, about.dashboardUrl !== null);
  const buckets: ReportedBucket[] = [];
  for await (const bucket of completed.buckets) buckets.push(toReported(bucket));
  return WRITERS[media](reportPage({ scan, ...about, buckets, recommendations, now }));
}
