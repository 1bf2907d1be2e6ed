import type { CopyCounts } from '../messages/messages.ts';

/** What the work comes to, for whoever watches the fleet. */
export interface WorkMetrics {
  /** So many more objects were read from a customer's listing. */
  listed(objects: number): void;
  /** What became of so many more objects of a migration. */
  settled(change: CopyCounts): void;
}
