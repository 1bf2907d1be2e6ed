import type { FileRecord } from '../../domain/file.ts';
import { toUsd } from '../../domain/money.ts';

/** A link with the end of its life. */
export interface TimedUrl {
  readonly url: string;
  readonly expiresAt: Date;
}

export function presentInit(file: FileRecord, upload: TimedUrl) {
  const { warning } = file.routing;
  return {
    fileId: file.fileId,
    presignedUrl: upload.url,
    provider: file.location.provider,
    savedVsAws: toUsd(file.savedVsAws),
    ...(warning === undefined ? {} : { routingWarning: warning }),
    requiredHeaders: { 'Content-Type': file.contentType },
    expiresAt: upload.expiresAt.toISOString(),
  };
}

export function presentCompleted(file: FileRecord, completedAt: string) {
  return {
    fileId: file.fileId,
    status: 'active',
    provider: file.location.provider,
    fileSizeBytes: file.sizeBytes,
    completedAt,
  };
}

export function presentFile(file: FileRecord, download: TimedUrl | undefined) {
  return {
    fileId: file.fileId,
    status: file.status,
    fileName: file.fileName,
    contentType: file.contentType,
    fileSizeBytes: file.sizeBytes,
    priority: file.priority,
    provider: file.location.provider,
    createdAt: file.createdAt.toISOString(),
    completedAt: file.completedAt?.toISOString() ?? null,
    routing: file.routing,
    downloadUrl: download?.url ?? null,
    expiresAt: download?.expiresAt.toISOString() ?? null,
  };
}

export function presentDeleted(fileId: string, deletedAt: string) {
  return { fileId, status: 'deleted', deletedAt };
}

export function presentDeleting(fileId: string) {
  return { fileId, status: 'deleting' };
}
