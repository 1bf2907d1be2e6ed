import { invalidArgument } from '../http/errors.ts';
import { createMd5 } from './md5.ts';
import { findXhrPut } from './xhr.ts';
import type { Platform } from '../source/platform.ts';

export const browserPlatform: Platform = {
  openFile: () => Promise.reject(invalidArgument('a browser opens no path: give a File or a Blob')),
  createMd5: () => Promise.resolve(createMd5()),
  wholePut: findXhrPut,
};
