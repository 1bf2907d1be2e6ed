import { toUsd } from '../../domain/money.ts';
import type { FileDeletion, ReadableFile } from '../operations/files.ts';
import type { CompletedUpload } from '../operations/upload-completion.ts';
import type { InitializedUpload } from '../operations/upload-init.ts';

export function presentInit({ file, presignedUrl }: InitializedUpload) {
  const { warning } = file.routing;
  return {
    fileId: file.fileId,
    presignedUrl,
    provider: file.location.provider,
    savedVsAws: toUsd(file.savedVsAws),
    ...(warning === undefined ? {} : { routingWarning: warning }),
    requiredHeaders: { 'Content-Type': file.contentType },
    expiresAt: file.urlExpiresAt.toISOString(),
  };
}

export function presentCompleted({ file, completedAt }: CompletedUpload) {
  return {
    fileId: file.fileId,
    status: 'active',
    provider: file.location.provider,
    fileSizeBytes: file.sizeBytes,
    completedAt,
  };
}

export function presentFile({ file, download }: ReadableFile) {
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

export function presentDeletion({ fileId, deletedAt }: FileDeletion) {
  if (!deletedAt) return { fileId, status: 'deleting' };
  return { fileId, status: 'deleted', deletedAt: deletedAt.toISOString() };
}
