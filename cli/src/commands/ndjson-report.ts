import { escapeText, formatNumber } from '@storage-routing/client';
import type { Command } from 'commander';
import { checkFree, writeWhole } from '../io/destination.ts';
import { EXIT, type ExitCode } from '../io/failure.ts';
import type { Invocation } from '../io/invocation.ts';
import { escapeJson } from '../io/text.ts';

export interface ReportOptions {
  output?: string;
  force?: boolean;
}

export function addReportOptions(command: Command): Command {
  return command
    .option('-o, --output <path>', 'to a file instead of standard output')
    .option('-f, --force', 'replace a file that is there');
}

/** Writes a line of JSON for each of these. @param about what the result of a written file names */
export async function writeReport(
  { print }: Invocation,
  { output, force = false }: ReportOptions,
  about: Readonly<Record<string, string>>,
  report: AsyncIterable<object>,
): Promise<ExitCode> {
  const toFile = output !== undefined && output !== '-';
  if (toFile) await checkFree(output, force);
  const lines = jsonLines(report);
  if (!toFile) {
    for await (const line of lines) if (!(await print.data(line))) break;
    return EXIT.done;
  }
  let count = 0;
  await writeWhole(
    output,
    force,
    counted(lines, () => (count += 1)),
  );
  await print.result(
    { ...about, path: output, lines: count },
    () => `${escapeText(output)}  ${formatNumber(count)} lines`,
  );
  return EXIT.done;
}

async function* jsonLines(report: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const line of report) yield `${escapeJson(line)}\n`;
}

async function* counted(lines: AsyncIterable<string>, onLine: () => void): AsyncGenerator<string> {
  for await (const line of lines) {
    onLine();
    yield line;
  }
}
