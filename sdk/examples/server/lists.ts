/** A list, page by page or as a whole. */
import { client, show } from './client.ts';

// README
const { items, total } = await client.analytics.routingHistory({ limit: 20 });
show(`${items.length} of ${total}`);

for await (const file of client.analytics.routingHistory()) {
  console.log(file.fileId, file.provider, file.fileName);
}
// end
