import { writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/**
 * `npm run size -w sdk`: the size that the library adds to a page, bundled for browsers, minified and compressed. Fails
 * where loading it requires a Node module; file access is imported on demand, when a path is given.
 */
async function measure(): Promise<void> {
  const { outputFiles, metafile } = await build({
    entryPoints: [fileURLToPath(new URL('../sdk/src/index.ts', import.meta.url))],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    external: ['node:*'],
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
