/** A scan of the account that `connectionId` names, and the first move that it recommends. */
import { client, show } from './client.ts';

const [, , connectionId = ''] = process.argv;
const { signal } = new AbortController();

// README
const { scanId } = await client.scanner.start(connectionId);
const { recommendations } = await client.scanner.waitFor(scanId, {
  onProgress: ({ progress }) => show(progress.percent, progress.objects),
  onRetry: ({ error, waitMs }) => show(`${error.code}: again in ${waitMs / 1000} s`),
  signal,
});
const move = recommendations.find(({ kind }) => kind === 'move');
if (move === undefined) throw new Error('nothing is worth a move');
const { migrationId } = await client.migrations.approve(move.recommendationId, {
  targetProvider: 'b2',
});
const migration = await client.migrations.waitFor(migrationId, {
  onProgress: ({ status, progress }) => show(status, progress.percent, progress.etaSeconds),
});

for await (const line of client.migrations.report(migrationId)) {
  if ('key' in line) show(line.key, line.outcome, line.sha256);
  else console.log(line.status, line.objectsCopied, 'of', line.objectsTotal);
}
// end

process.exitCode = migration.status === 'completed' ? 0 : 1;
