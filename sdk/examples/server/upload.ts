/** A file goes to the store that the service chooses. */
// README
import { createClient } from '@storage-routing/client';

const client = createClient({
  baseUrl: process.env['SRS_BASE_URL'] ?? 'https://routing.example.com',
  apiKey: process.env['SRS_API_KEY'],
});
const file = await client.upload({ source: 'reports/2026.pdf', contentType: 'application/pdf' });
console.log(file.fileId, file.provider, `saves $${file.savedVsAwsFixed} a month`);
