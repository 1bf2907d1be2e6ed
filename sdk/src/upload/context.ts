import type { Clock, Settings } from '../http/settings.ts';
import type { Platform } from '../source/platform.ts';
import type { CallOptions } from '../http/transport.ts';
import type { Files } from '../resources/files.ts';
import type { OnProgress } from './progress.ts';

/** What sending the bytes of a file uses. */
interface SendDeps {
  settings: Pick<Settings, keyof Clock | 'fetch' | 'stallTimeoutMs' | 'maxRetries'>;
  platform: Pick<Platform, 'wholePut'>;
  files: Pick<Files, 'complete' | 'uploadParts' | 'listParts'>;
}

/** What every upload of a client uses. */
export interface UploadDeps extends SendDeps {
  settings: Settings;
  platform: Platform;
  files: Files;
}

/** What one upload has besides its file and its source. */
interface UploadTerms {
  onProgress: OnProgress | undefined;
  options: CallOptions & { requestId: string };
}

/** What sending one file needs. */
export interface SendContext extends SendDeps, UploadTerms {}

/** What an upload of a client needs besides its file and its source. */
export interface UploadContext extends UploadDeps, UploadTerms {}

/** How a file is divided into parts: all are equal but the last. */
export interface PartsPlan {
  fileId: string;
  /** The size of the whole file. */
  sizeBytes: number;
  partSizeBytes: number;
  partCount: number;
}

/** The size of one part, in bytes. */
export function partSize(plan: PartsPlan, partNumber: number): number {
  const { sizeBytes, partSizeBytes, partCount } = plan;
  if (partNumber < partCount) return partSizeBytes;
  return sizeBytes - (partCount - 1) * partSizeBytes;
}

/** The numbers of all parts, ascending. */
export function listPartNumbers({ partCount }: PartsPlan): number[] {
  return Array.from({ length: partCount }, (_, index) => index + 1);
}
