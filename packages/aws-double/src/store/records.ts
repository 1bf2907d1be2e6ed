import { cursorOver, type KeyCursor } from './cursor.ts';
import { compareUtf8 } from './order.ts';
import type { ObjectVersion } from './version.ts';

/** All versions of a key, newest first. Empty: the key was deleted, and hides a generated one. */
interface KeyRecord {
  readonly key: string;
  versions: ObjectVersion[];
}

/** Records by key, and in UTF-8 order. */
export interface KeyRecords {
  get(key: string): KeyRecord | undefined;
  /** Creates the record if it does not exist. */
  ensure(key: string): KeyRecord;
  cursor(): KeyCursor;
}

const MIN_MERGE_FOR_CLEANUP = 32;

/**
 * Keeps a sorted list beside the map. New keys are collected and merged on the next listing, so
 * that many writes followed by a listing cost one sort of the new keys.
 */
export function createKeyRecords(canForget: (key: string) => boolean): KeyRecords {
  const records = new Map<string, KeyRecord>();
  let sorted: string[] = [];
  let newKeys: string[] = [];

  function mergeNewKeys(): void {
    if (newKeys.length === 0) return;
    newKeys.sort(compareUtf8);
    // Deleted keys are dropped by the merge, which visits all keys anyway.
    const kept = newKeys.length > MIN_MERGE_FOR_CLEANUP ? sorted.filter(isAlive) : sorted;
    sorted = merge(kept, newKeys);
    newKeys = [];
  }
  function isAlive(key: string): boolean {
    if (records.get(key)?.versions.length !== 0 || !canForget(key)) return true;
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
      newKeys.push(key);
      return record;
    },
    cursor() {
      mergeNewKeys();
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
