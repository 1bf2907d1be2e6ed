import { cursorOver, type KeyCursor } from './cursor.ts';
import { compareUtf8 } from './order.ts';
import type { ObjectVersion } from './version.ts';

/** All versions of a key, the newest first. Empty: the key is gone, and hides a generated one. */
interface KeyRecord {
  readonly key: string;
  versions: ObjectVersion[];
}

/** Records by key, and in UTF-8 order. */
export interface KeyRecords {
  get(key: string): KeyRecord | undefined;
  /** Makes the record where there is none. */
  ensure(key: string): KeyRecord;
  cursor(): KeyCursor;
}

const FEW = 32;

/**
 * Keeps a sorted list beside the map. New keys are put aside and merged in when somebody lists, so
 * that writing many and then listing costs one sort of the new ones.
 */
export function createKeyRecords(mayForget: (key: string) => boolean): KeyRecords {
  const records = new Map<string, KeyRecord>();
  let sorted: string[] = [];
  let fresh: string[] = [];

  function settle(): void {
    if (fresh.length === 0) return;
    fresh.sort(compareUtf8);
    // Gone keys leave with the next merge, for a merge touches all of them anyway.
    const kept = fresh.length > FEW ? sorted.filter(isAlive) : sorted;
    sorted = merge(kept, fresh);
    fresh = [];
  }
  function isAlive(key: string): boolean {
    if (records.get(key)?.versions.length !== 0 || !mayForget(key)) return true;
    records.delete(key);
    return false;
  }
  return {
    get: (key) => records.get(key),
    ensure(key) {
      const known = records.get(key);
      if (known !== undefined) return known;
      const record: KeyRecord = { key, versions: [] };
      records.set(key, record);
      fresh.push(key);
      return record;
    },
    cursor() {
      settle();
      const keys = sorted;
      return cursorOver({
        count: keys.length,
        keyAt: (position) => keys[position] ?? '',
        versionsAt: (position) => records.get(keys[position] ?? '')?.versions ?? [],
      });
    },
  };
}

function merge(a: readonly string[], b: readonly string[]): string[] {
  const merged: string[] = [];
  let atB = 0;
  for (const key of a) {
    for (let next = b[atB]; next !== undefined && compareUtf8(next, key) < 0; next = b[atB]) {
      merged.push(next);
      atB += 1;
    }
    merged.push(key);
  }
  for (; atB < b.length; atB += 1) merged.push(b[atB] ?? '');
  return merged;
}
