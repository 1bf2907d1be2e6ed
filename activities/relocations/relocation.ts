import type { RelocationKey } from '../../adapters/mongo/relocations/relocations.ts';
import { MigrationStopError } from '../../domain/migrations/stop.ts';
import {
  isRunning,
  type RelocationRecord,
  type RelocationStop,
} from '../../domain/relocations/relocation.ts';
import type { RelocationSlice } from '../../messages/relocation.ts';
import { countRelocated } from '../../operations/relocations/relocations.ts';
import type { MigrationContext } from '../contexts.ts';
import { copy, endStopped } from './copy.ts';
import { drain } from './drain.ts';
import { plan } from './plan.ts';

export type RelocationActivities = ReturnType<typeof createRelocationActivities>;

/** A relocation, slice by slice: all that a slice needs to know is stored. */
export function createRelocationActivities(context: MigrationContext) {
  const { relocations } = context;
  return {
    /** Plans, copies or drains for about `maxMs`, as far as the relocation has come. */
    async relocate(key: RelocationKey): Promise<RelocationSlice> {
      const relocation = await relocations.findRun(key);
      if (!relocation)
        throw new MigrationStopError('internal_error', 'There is no such relocation.');
      const waitMs = await workOn(context, relocation);
      const latest = await relocations.findRun(key);
      return await toSlice(context, latest ?? relocation, waitMs);
    },

    /** Copies no further file: the next slice ends the relocation. */
    stopRelocation: (key: RelocationKey, stopping: RelocationStop): Promise<void> =>
      relocations.stop(key, stopping),
  };
}

async function toSlice(
  { manifests }: MigrationContext,
  { relocationId, status, files }: RelocationRecord,
  waitMs: number | undefined,
): Promise<RelocationSlice> {
  const { counts } = await countRelocated(manifests, relocationId);
  const { copied: moved, failed } = counts;
  return { status, files, moved, failed, isSettled: waitMs === undefined, waitMs: waitMs ?? 0 };
}

/** @returns how long nothing is due; undefined: nothing is left to do */
async function workOn(
  context: MigrationContext,
  relocation: RelocationRecord,
): Promise<number | undefined> {
  if (!isRunning(relocation)) return await drain(context, relocation);
  if (relocation.stopping) await endStopped(context, relocation);
  else if (relocation.status === 'planning') await plan(context, relocation);
  else await copy(context, relocation);
  return 0;
}
