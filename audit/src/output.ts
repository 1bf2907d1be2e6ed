import { existsSync } from 'node:fs';
import { open, rm, writeFile } from 'node:fs/promises';
import { text as collect } from 'node:stream/consumers';
import type { Writable } from 'node:stream';
import { presentScan } from '../../api/scans/present.ts';
import { presentReport } from '../../report/report.ts';
import { PRICE_BOOK } from './data.ts';
import { AuditError } from './failure.ts';
import type { Audited } from './audit.ts';
import type { Format, Settings } from './settings.ts';
import type { Source } from './source.ts';

const MEDIA = { html: 'text/html', md: 'text/markdown', csv: 'text/csv' } as const;

/** The report as the service writes it; JSON is the body of its result, without ids. */
export async function present(
  audited: Audited,
  format: Format,
  { account }: Pick<Source, 'account'>,
): Promise<string> {
  const { provider } = audited.scan;
  if (format !== 'json')
    return await presentReport(
      audited,
      {
        sourceAccount: account,
        catalogue: PRICE_BOOK.catalogue,
        switchingChargeBan: PRICE_BOOK.switchingChargeBan(provider),
        dashboardUrl: null,
      },
      MEDIA[format],
    );
  const result = JSON.parse(await collect(presentScan({ ...audited, source: 'stored' }))) as {
    readonly recommendations: readonly object[];
  };
  const recommendations = result.recommendations.map((each) => ({
    ...each,
    recommendationId: null,
  }));
  const local = { scanId: null, connectionId: null, source: 'local', recommendations };
  return `${JSON.stringify({ ...result, ...local }, null, 2)}\n`;
}

/** The path of the report; `-` is standard output. */
export function pathOf(
  { output, format }: Pick<Settings, 'output' | 'format'>,
  { account }: Pick<Source, 'account'>,
  day: Date,
): string {
  const name = `storage-audit-${account.replaceAll('/', '-')}-${day.toISOString().slice(0, 10)}`;
  return output ?? `${name}.${format}`;
}

/** Tries a path before anything is read, and leaves no file. @throws AuditError */
export async function checkWritable(path: string): Promise<void> {
  if (path === '-') return;
  const isThere = existsSync(path);
  try {
    await (await open(path, 'a')).close();
  } catch (error) {
    throw new AuditError(`${path} cannot be written (${(error as NodeJS.ErrnoException).code}).`);
  }
  if (!isThere) await rm(path, { force: true });
}

/** A reader that has closed standard output wants no more of it. */
export async function writeReport(path: string, report: string, stdout: Writable): Promise<void> {
  if (path !== '-') return await writeFile(path, report);
  stdout.on('error', () => undefined);
  await new Promise<void>((resolve) => {
    stdout.write(report, () => resolve());
  });
}
