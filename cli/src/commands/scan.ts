import { escapeText } from '@storage-routing/client';
import type { StorageRoutingClient } from '@storage-routing/client';
import type { Command } from 'commander';
import { EXIT, type ExitCode, wrongUsage } from '../io/failure.ts';
import { type Invocation, type Perform, subcommand } from '../io/invocation.ts';
import { scanProgress } from '../present/scan.ts';
import { escapeLines } from '../io/text.ts';

interface ScanOptions {
  scanId?: string;
  wait: boolean;
}

/** `srs scan [connectionId]` */
export function addScan(parent: Command, perform: Perform): void {
  subcommand(parent, 'scan', 'audit a cloud account: start, watch, and read the report')
    .argument('[connectionId]', 'which account; or --scan-id')
    .option('--scan-id <scanId>', 'watch one that has been started already')
    .option('--no-wait', 'start it, print its id, and exit')
    .action(perform(scan));
}

async function scan(
  call: Invocation,
  connectionId: string | undefined,
  options: ScanOptions,
): Promise<ExitCode> {
  if ((connectionId === undefined) === (options.scanId === undefined)) {
    throw wrongUsage('either a connectionId, to start, or --scan-id, to watch');
  }
  const client = await call.client();
  let { scanId } = options;
  if (connectionId !== undefined) {
    const started = await client.scanner.start(connectionId, { signal: call.signal });
    scanId = started.scanId;
    if (!options.wait) {
      await call.print.result(started, () => scanId ?? '');
      return EXIT.done;
    }
    call.print.note(`scan ${scanId} (Ctrl-C does not stop it; srs scan --scan-id ${scanId})`);
  }
  return await watch(call, client, scanId ?? '');
}

async function watch(
  call: Invocation,
  client: StorageRoutingClient,
  scanId: string,
): Promise<ExitCode> {
  const { print, signal } = call;
  const ended = await client.scanner.waitFor(scanId, {
    signal,
    onRetry: print.retry,
    onProgress: (seen) => print.bar.show(seen.progress.percent, scanProgress(seen)),
  });
  if (ended.status === 'failed') {
    const reason = ended.error?.message ?? 'no reason was given';
    await print.result(ended, () => `the scan failed: ${escapeText(reason)}`);
    return EXIT.failed;
  }
  const report = call.json ? '' : await client.scanner.report(scanId, { signal });
  await print.result(ended, () => escapeLines(report.trimEnd()));
  return EXIT.done;
}
