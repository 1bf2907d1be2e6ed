import type { Client } from '@temporalio/client';
import { Context, heartbeat, sleep } from '@temporalio/activity';
import { createUpkeepActivities } from '../activities/upkeep.ts';
import { createUploadActivities } from '../activities/uploads.ts';
import type { Records } from '../adapters/mongo/records.ts';
import type { AccountStores } from '../adapters/object-store/account-stores.ts';
import { createSearchAttributeUse } from '../adapters/temporal/search-attributes.ts';
import { createUploadCommands } from '../adapters/temporal/upload-commands.ts';
import type { TaskQueue } from '../workflows/names.ts';

export interface FleetDeps {
  readonly client: Client;
  readonly records: Records;
  readonly stores: AccountStores;
  readonly now: () => Date;
}

/** What the workers of one queue can do. */
export function activitiesFor(
  queue: TaskQueue,
  { client, records, stores, now }: FleetDeps,
): object {
  switch (queue) {
    case 'uploads':
      return {
        ...createUploadActivities({ ...records, stores, now }),
        ...createUpkeepActivities({
          ...records,
          uploads: createUploadCommands({
            client,
            searchAttributes: createSearchAttributeUse(() => performance.now()),
            now,
          }),
          now,
          wait: sleep,
          heartbeat: () => heartbeat(Context.current().info.attempt),
        }),
      };
    case 'scans':
    case 'migrations':
      return {};
  }
}
