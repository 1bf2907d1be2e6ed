import type { Settings } from '../http/settings.ts';
import type { Platform } from '../source/platform.ts';
import type { CallOptions } from '../http/transport.ts';
import type { Files } from '../resources/files.ts';
import type { OnProgress } from './progress.ts';

/** What every upload of a client uses. */
export interface UploadDeps {
  settings: Settings;
  platform: Platform;
  files: Files;
}

/** What an upload needs besides its file and its source. */
export interface UploadContext extends UploadDeps {
  onProgress: OnProgress | undefined;
  options: CallOptions & { requestId: string };
}
