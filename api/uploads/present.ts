import { toUsd } from '../../domain/pricing/money.ts';
import type { FileRecord } from '../../domain/uploads/file.ts';
import type { PartsPage } from '../../adapters/object-store/object-store.ts';
import type { ReadableFile } from '../../operations/uploads/files.ts';
import type { InitializedUpload } from '../../operations/uploads/init.ts';
import type { PartUrls } from '../../operations/uploads/parts.ts';
import type { UploadUrl } from '../../operations/uploads/url.ts';
import { toView, type View } from '../http/route.ts';
import {
  FileView,
  UrlReply,
  type CompleteReply,
  type InitReply,
  type PartsPageReply,
  type PartsReply,
} from './schemas.ts';

export function presentInit({ file, presignedUrl }: InitializedUpload): View<typeof InitReply> {
  const { fileId, location, savedVsAws, routing, multipart } = file;
  const { warning } = routing;
  return {
    fileId,
    ...(presignedUrl === undefined ? {} : { presignedUrl }),
    provider: location.provider,
    savedVsAws: toUsd(savedVsAws),
    ...(warning === undefined ? {} : { routingWarning: warning }),
    ...(multipart ? { multipart: presentLayout(multipart) } : {}),
    requiredHeaders: requiredHeaders(file),
    expiresAt: (multipart ? file.deadline : file.urlExpiresAt).toISOString(),
  };
}

function presentLayout({ partSizeBytes, partCount }: NonNullable<FileRecord['multipart']>) {
  return { partSizeBytes, partCount };
}

/** The headers that the PUT must send; a part needs only its length. */
function requiredHeaders({ multipart, contentType, contentMd5 }: FileRecord) {
  if (multipart) return {};
  return {
    'Content-Type': contentType,
    ...(contentMd5 === undefined ? {} : { 'Content-MD5': contentMd5 }),
  };
}

export function presentUploadUrl(url: UploadUrl): View<typeof UrlReply> {
  const { file } = url;
  const { fileId } = file;
  return toView(UrlReply, { ...url, fileId, requiredHeaders: requiredHeaders(file) });
}

export function presentPartUrls({ parts, expiresAt }: PartUrls): View<typeof PartsReply> {
  return { parts, expiresAt: expiresAt.toISOString() };
}

export function presentParts({ parts, isTruncated }: PartsPage): View<typeof PartsPageReply> {
  return {
    items: parts,
    next: isTruncated ? (parts.at(-1)?.partNumber ?? null) : null,
  };
}

export function presentCompleted(file: FileRecord): View<typeof CompleteReply> {
  if (!file.completedAt) throw new Error('an active file has no time of completion');
  return {
    fileId: file.fileId,
    status: 'active',
    provider: file.location.provider,
    fileSizeBytes: file.sizeBytes,
    completedAt: file.completedAt.toISOString(),
  };
}

export function presentFile({ file, download }: ReadableFile): View<typeof FileView> {
  return toView(FileView, {
    ...file,
    fileSizeBytes: file.sizeBytes,
    provider: file.location.provider,
    completedAt: file.completedAt ?? null,
    downloadUrl: download?.url ?? null,
    expiresAt: download?.expiresAt ?? null,
  });
}
