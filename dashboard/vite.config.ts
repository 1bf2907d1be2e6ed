import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';

const fromHere = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The path below which the API serves the page. */
const BASE = '/dashboard/';
/** The API replaces it in index.html by a nonce, in each answer. */
const NONCE = '__CSP_NONCE__';
const COMPRESSED = /\.(?:css|js|map|svg)$/;

/** Writes each asset in brotli and gzip as well, so that the API compresses nothing. */
function compressAssets(): Plugin {
  return {
    name: 'compress-assets',
    writeBundle({ dir = '' }) {
      const folder = join(dir, 'assets');
      for (const name of readdirSync(folder).filter((file) => COMPRESSED.test(file))) {
        const bytes = readFileSync(join(folder, name));
        const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength };
        writeFileSync(join(folder, `${name}.br`), brotliCompressSync(bytes, { params }));
        writeFileSync(join(folder, `${name}.gz`), gzipSync(bytes, { level: 9 }));
      }
    },
  };
}

export default defineConfig({
  root: fromHere('.'),
  base: BASE,
  html: { cspNonce: NONCE },
  resolve: { alias: { '@storage-routing/client': fromHere('../sdk/src/browser.ts') } },
  build: {
    outDir: fromHere('../dist/dashboard'),
    emptyOutDir: true,
    sourcemap: true,
    // A data: URL would have to be allowed in the policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // Components for a server and a page say so in each file; here is only a page.
      onLog: (level, log, report) => {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') report(level, log);
      },
    },
  },
  plugins: [compressAssets()],
});
