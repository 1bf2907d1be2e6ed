import type { Platform } from './platform.ts';

/** Node and other server runtimes. Modules are loaded on demand, because a runtime may lack them. */
export const nodePlatform: Platform = {
  async openFile(path, fileName, announcedBytes) {
    const { openFile } = await import('../source/file.ts');
    return openFile(path, fileName, announcedBytes);
  },
  async createMd5() {
    try {
      const { createHash } = await import('node:crypto');
      return createHash('md5');
    } catch {
      // A browser; or Node with FIPS, which permits no MD5.
      return undefined;
    }
  },
};
