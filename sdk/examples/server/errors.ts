/** What to do about an error. */
import { StorageRoutingError } from '@storage-routing/client';
import { client } from './client.ts';

// README
try {
  await client.upload({ source: 'report.pdf' });
} catch (error) {
  if (!(error instanceof StorageRoutingError)) throw error;
  if (error.code === 'plan_limit') console.log('a larger plan is needed');
  else if (error.fileId !== undefined) console.log('to resume:', error.fileId);
  else console.log(error.code, error.requestId);
}
// end
