import { writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/**
 * `npm run size -w sdk`: the size that the library adds to a page, bundled for browsers, minified and compressed. Fails
 * where the entry for browsers imports a module of Node.
 */
async function measure(): Promise<void> {
  const { outputFiles, metafile } = await build({
    entryPoints: [fileURLToPath(new URL('../sdk/src/browser.ts', import.meta.url))],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    metafile: true,
    write: false,
  });
  const [bundle] = outputFiles;
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
  const needed = imports.filter(({ kind }) => kind !== 'dynamic-import').map(({ path }) => path);
  if (bundle === undefined || needed.length > 0) {
    throw new Error(`not for browsers: needs ${needed.join(', ')} to load`);
  }
  const gzipBytes = gzipSync(bundle.contents, { level: 9 }).byteLength;
  writeSync(1, `${bundle.contents.byteLength} bytes minified, ${gzipBytes} bytes gzip\n`);
}

await measure();
