import { compareUtf8, firstPosition } from './order.ts';

/** Walks keys in UTF-8 order. */
export interface KeyCursor {
  /** The key it stands on; null at the end. */
  key(): string | null;
  next(): void;
  /** Jumps ahead to the first key for which a monotone test holds. */
  seek(reached: (key: string) => boolean): void;
}

/** A cursor over a sorted sequence that is only known by position. */
export function cursorOver(count: number, keyAt: (position: number) => string): KeyCursor {
  let position = 0;
  let current = count > 0 ? keyAt(0) : null;
  function move(to: number): void {
    position = to;
    current = to < count ? keyAt(to) : null;
  }
  return {
    key: () => current,
    next: () => move(position + 1),
    seek(reached) {
      const start = position;
      move(start + firstPosition(count - start, (offset) => reached(keyAt(start + offset))));
    },
  };
}

/** Walks several sorted sequences as one; a key that several hold appears once. */
export function mergeCursors(cursors: readonly KeyCursor[]): KeyCursor {
  const [only] = cursors;
  if (only !== undefined && cursors.length === 1) return only;
  function smallest(): string | null {
    let least: string | null = null;
    for (const cursor of cursors) {
      const key = cursor.key();
      if (key !== null && (least === null || compareUtf8(key, least) < 0)) least = key;
    }
    return least;
  }
  return {
    key: smallest,
    next() {
      const key = smallest();
      for (const cursor of cursors) if (cursor.key() === key) cursor.next();
    },
    seek(reached) {
      for (const cursor of cursors) cursor.seek(reached);
    },
  };
}
