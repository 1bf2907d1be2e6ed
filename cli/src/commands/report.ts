import { escapeText } from '@storage-routing/client';
import type { ReportFormat } from '@storage-routing/client';
import { type Command, Option } from 'commander';
import { EXIT, type ExitCode } from '../io/failure.ts';
import { type Invocation, type Perform, subcommand } from '../io/invocation.ts';

/** `srs report <scanId>` */
export function addReport(parent: Command, perform: Perform): void {
  subcommand(parent, 'report', 'the report of an audit, to standard output')
    .argument('<scanId>')
    .addOption(
      new Option('--format <format>', 'Markdown, one printable file of HTML, or a table for sheets')
        .choices(['html', 'md', 'csv'])
        .default('md'),
    )
    .action(perform(report));
}

async function report(
  { client, context, print, signal }: Invocation,
  scanId: string,
  { format }: { format: ReportFormat },
): Promise<ExitCode> {
  const { scanner } = await client();
  const text = await scanner.report(scanId, { format, signal });
  // Names in a table for sheets are as they are; a terminal would obey the controls in them.
  const isShown = format === 'csv' && context.stdout.isTTY === true;
  await print.data(isShown ? text.split('\r\n').map(escapeText).join('\r\n') : text);
  return EXIT.done;
}
