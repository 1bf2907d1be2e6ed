import type { Noting } from './activities.ts';
import type { Emitting } from './events.ts';

type Outbox = keyof Noting | keyof Emitting;

/** A document without the activities and the events that wait in it to be published. */
export function withoutOutbox<Document extends Noting & Emitting>(
  document: Document,
): Omit<Document, Outbox> {
  const {
    noted: _noted,
    notedAt: _notedAt,
    emitted: _emitted,
    emittedAt: _at,
    emittedOf: _of,
    ...rest
  } = document;
  return rest;
}
