import type { Priority, RoutedFile } from '@storage-routing/client';

/** Words of routed files. Each map is exhaustive, so that a new code is a compile error. */

export const PRIORITY_TITLES: Readonly<Record<Priority, string>> = {
  hot: 'Hot',
  cold: 'Cold',
  archive: 'Archive',
};

interface FileStatus {
  readonly title: string;
  readonly tone: 'good' | 'busy' | 'quiet';
}

export const FILE_STATUSES: Readonly<Record<RoutedFile['status'], FileStatus>> = {
  pending: { title: 'Pending', tone: 'busy' },
  active: { title: 'Active', tone: 'good' },
  expired: { title: 'Expired', tone: 'quiet' },
  deleting: { title: 'Being deleted', tone: 'busy' },
  deleted: { title: 'Deleted', tone: 'quiet' },
};
