import { CATALOGUE } from '../provider/catalogue.ts';
import { formatCount, formatNumber } from '../common/format.ts';
import type { MoveBreakdown } from './model.ts';
import type { Blocker } from './types.ts';

/** What keeps objects of a move at the source: one blocker per reason, sizes one per target. */
export function blockersOf(breakdown: MoveBreakdown): readonly Blocker[] {
  return [...restoreBlockers(breakdown), ...keyBlockers(breakdown), ...sizeBlockers(breakdown)];
}

function restoreBlockers({ archivedObjects }: MoveBreakdown): readonly Blocker[] {
  if (archivedObjects === 0) return [];
  const message = `${formatCount(archivedObjects, 'object')} must be restored first and stay behind until then; the figures leave them out.`;
  return [{ code: 'needs_restore', message, objects: archivedObjects }];
}

function keyBlockers({ longKeyObjects }: MoveBreakdown): readonly Blocker[] {
  if (longKeyObjects === 0) return [];
  const message = `${formatCount(longKeyObjects, 'object')} whose key at the target, with the bucket's name in front, would be longer than 1,024 bytes would stay behind in the move; the figures include them.`;
  return [{ code: 'key_too_long', message, objects: longKeyObjects }];
}

function sizeBlockers({ tooLarge }: MoveBreakdown): readonly Blocker[] {
  return tooLarge.map(({ target: { provider, maxObjectBytes }, objects }) => {
    const { title } = CATALOGUE[provider];
    return {
      code: 'object_too_large',
      message: `${formatCount(objects, 'object')} above ${formatNumber(maxObjectBytes)} bytes, the most that ${title} stores in one, would stay behind in a move to ${title} (${provider}); the figures include them.`,
      objects,
    };
  });
}
