import type { ScanLine } from '@storage-routing/client';

/** The completed scans of a connection, in the order given. */
export function comparable(items: readonly ScanLine[], connectionId: string): ScanLine[] {
  return items.filter((item) => item.connectionId === connectionId && item.status === 'completed');
}
