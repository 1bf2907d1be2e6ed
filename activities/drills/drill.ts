import type { DrillKey } from '../../adapters/mongo/drills/drills.ts';
import { hasEnded, type DrillRecord, type DrillUse } from '../../domain/drills/drill.ts';
import { MigrationStopError } from '../../domain/migrations/stop.ts';
import type { RelocationStop } from '../../domain/relocations/relocation.ts';
import type { DrillSlice } from '../../messages/drill.ts';
import { countRelocated } from '../../operations/relocations/relocations.ts';
import type { MigrationContext } from '../contexts.ts';
import { copySample, readSample } from './copy.ts';
import { createMeter } from './meter.ts';
import { remove } from './remove.ts';
import { sample } from './sample.ts';

export type DrillActivities = ReturnType<typeof createDrillActivities>;

/** An exit drill, slice by slice: all that a slice needs to know is stored. */
export function createDrillActivities(context: MigrationContext) {
  const { drills, manifests } = context;
  return {
    /** Samples, copies, reads back or removes, as far as the drill has come. */
    async tryExit(key: DrillKey): Promise<DrillSlice> {
      const drill = await drills.findRun(key);
      if (!drill) throw new MigrationStopError('internal_error', 'There is no such drill.');
      const waitMs = hasEnded(drill) ? 0 : await workOn(context, drill);
      const latest = (await drills.findRun(key)) ?? drill;
      const { status, sampled } = latest;
      const { manifestId, files } = sampled ?? { manifestId: drill.drillId, files: 0 };
      const { copied, failed } = (await countRelocated(manifests, manifestId)).counts;
      return { status, files, copied, failed, isSettled: hasEnded(latest), waitMs };
    },

    /** The next slice removes what there is. */
    stopDrill: (key: DrillKey, stopping: RelocationStop): Promise<void> =>
      drills.stop(key, stopping),
  };
}

/** @returns how long nothing is due */
async function workOn(context: MigrationContext, drill: DrillRecord): Promise<number> {
  const { used, stores } = createMeter(context, drill);
  const beganMs = performance.now();
  try {
    return await takeStep({ ...context, stores }, drill, used);
  } finally {
    const tookMs = Math.round(performance.now() - beganMs);
    await context.drills.addUse(drill.drillId, used, drill.status === 'copying' ? tookMs : 0);
  }
}

async function takeStep(
  context: MigrationContext,
  drill: DrillRecord,
  used: DrillUse,
): Promise<number> {
  const { drillId, status, stopping } = drill;
  if (status === 'removing') return await remove(context, drill, used);
  if (stopping) await beginRemoving(context, drill);
  else if (status === 'sampling') await sample(context, drill);
  else if (status === 'copying') {
    if (await copySample(context, drill))
      await context.drills.advance(drillId, 'copying', 'reading');
  } else if (await readSample(context, drill)) await beginRemoving(context, drill);
  return 0;
}

async function beginRemoving(
  { drills, now }: MigrationContext,
  { drillId, status }: DrillRecord,
): Promise<void> {
  await drills.advance(drillId, status, 'removing', { removingSince: now() });
}
