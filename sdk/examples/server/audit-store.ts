/** An audit of a store by its stored credentials, and what could be saved in it. */
import { client, show } from './client.ts';

// README
const { connectionId } = await client.scanner.connect({ provider: 'b2', buckets: null });
const { scanId } = await client.scanner.start(connectionId);
const { buckets, summary } = await client.scanner.waitFor(scanId, {
  onProgress: ({ progress }) => show(progress.percent, progress.objects),
});
console.log(buckets.length, 'buckets:', summary.currentMonthlyCostUsd, 'USD a month');
// end
