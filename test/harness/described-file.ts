import { randomUUID } from 'node:crypto';
import { addSeconds, toMonth } from '../../domain/common/time.ts';
import { toMicroUsd } from '../../domain/pricing/money.ts';
import { afterSettling, type FileRecord, uploadWindow } from '../../domain/uploads/file.ts';

/** The limits of a plan that has none. */
export const UNLIMITED = {
  gbRoutedPerMonth: null,
  uploadsPerMonth: null,
  providers: null,
  scansPerMonth: null,
  migrations: true,
};

/** A file as init makes it at this moment. */
export function describeFile(createdAt: Date): FileRecord {
  const fileId = randomUUID();
  const urlExpiresAt = addSeconds(createdAt, 3_600);
  const window = uploadWindow(urlExpiresAt, 86_400);
  const chosen = { provider: 'r2', preferredProvider: 'r2', priority: 'hot' } as const;
  return {
    fileId,
    accountId: `account-${fileId}`,
    status: 'pending',
    fileName: 'a.txt',
    contentType: 'text/plain',
    sizeBytes: 1_000,
    priority: 'hot',
    location: { provider: 'r2', bucketName: 'bucket', region: 'auto', accountId: 'a' },
    objectKey: `uploads/${fileId}/a.txt`,
    routing: { ...chosen, reason: 'test', costs: [], priceBook: 'test' },
    savedVsAws: toMicroUsd(0.001),
    month: toMonth(createdAt),
    createdAt,
    urlExpiresAt,
    ...window,
    nextAttemptAt: afterSettling(window.deadline),
  };
}
