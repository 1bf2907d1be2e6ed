import { compareUtf8, firstPosition } from './order.ts';
import type { ObjectVersion } from './version.ts';

/** Walks keys in UTF-8 order. */
export interface KeyCursor {
  /** The current key; null at the end. */
  key(): string | null;
  /** The versions of that key, newest first; empty after they were deleted. */
  versions(): readonly ObjectVersion[];
  next(): void;
  /** Advances to the first key for which a monotone predicate holds. */
  seek(reached: (key: string) => boolean): void;
}

/** A sorted sequence with access by position. */
export interface KeySequence {
  readonly count: number;
  keyAt(position: number): string;
  versionsAt(position: number): readonly ObjectVersion[];
}

/** A cursor at the beginning of a sequence. */
export function cursorOver(sequence: KeySequence): KeyCursor {
  const { count } = sequence;
  let position = 0;
  let current = count > 0 ? sequence.keyAt(0) : null;
  function move(to: number): void {
    position = to;
    current = to < count ? sequence.keyAt(to) : null;
  }
  return {
    key: () => current,
    versions: () => (current === null ? [] : sequence.versionsAt(position)),
    next: () => move(position + 1),
    seek(reached) {
      if (current === null || reached(current)) return;
      const start = position + 1;
      const offset = firstPosition(count - start, (at) => reached(sequence.keyAt(start + at)));
      move(start + offset);
    },
  };
}

/** Merges several cursors; for a key that several hold, the first cursor wins. */
export function mergeCursors(cursors: readonly KeyCursor[]): KeyCursor {
  const [only] = cursors;
  if (only !== undefined && cursors.length === 1) return only;
  let least = findLeast(cursors);
  return {
    key: () => least?.key() ?? null,
    versions: () => least?.versions() ?? [],
    next() {
      const key = least?.key();
      for (const cursor of cursors) if (cursor.key() === key) cursor.next();
      least = findLeast(cursors);
    },
    seek(reached) {
      for (const cursor of cursors) cursor.seek(reached);
      least = findLeast(cursors);
    },
  };
}

function findLeast(cursors: readonly KeyCursor[]): KeyCursor | null {
  let least: KeyCursor | null = null;
  let leastKey: string | null = null;
  for (const cursor of cursors) {
    const key = cursor.key();
    if (key === null || (leastKey !== null && compareUtf8(key, leastKey) >= 0)) continue;
    least = cursor;
    leastKey = key;
  }
  return least;
}
