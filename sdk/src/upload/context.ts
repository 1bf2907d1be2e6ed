import type { Settings } from '../http/settings.ts';
import type { Files } from '../resources/files.ts';
import type { OnProgress } from './progress.ts';

/** What an upload needs besides its file and its source. */
export interface UploadContext {
  settings: Settings;
  files: Files;
  onProgress: OnProgress | undefined;
  options: { signal: AbortSignal | undefined; requestId: string };
}
