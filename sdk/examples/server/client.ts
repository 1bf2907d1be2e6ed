import { createClient } from '@storage-routing/client';

/** The client of these examples. */
export const client = createClient({
  baseUrl: process.env['SRS_BASE_URL'] ?? 'https://routing.example.com',
  apiKey: process.env['SRS_API_KEY'],
  dashboardToken: process.env['SRS_DASHBOARD_TOKEN'],
});

/** Yours: a bar, a line of a log. */
export function show(...progress: readonly unknown[]): void {
  console.error(...progress);
}
