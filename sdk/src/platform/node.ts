import { openFile } from '../source/file.ts';
import { createMd5 } from './md5.ts';
import type { Platform } from '../source/platform.ts';

/** For server runtimes. Node's modules are imported on demand: a runtime may lack them. */
export const nodePlatform: Platform = {
  openFile,
  wholePut: () => undefined,
  async createMd5() {
    try {
      const { createHash } = await import('node:crypto');
      return createHash('md5');
    } catch {
      // A runtime without Node's modules; or Node with FIPS, which permits no MD5.
      return createMd5();
    }
  },
};
