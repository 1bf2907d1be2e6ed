import { writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const sdk = fileURLToPath(new URL('../sdk/', import.meta.url));

/**
 * `npm run size -w sdk`: what the built package adds to a page, for one that uses the whole client, one that uploads
 * by `createFileUpload` and one that only calls `put`: resolved by the package's exports, bundled for browsers,
 * minified and compressed. Fails where a bundle imports anything from outside.
 */
async function measure(name: string, imported: string): Promise<void> {
  const { outputFiles, metafile } = await build({
    stdin: {
      contents: `export { ${imported} } from '@storage-routing/client';`,
      resolveDir: sdk,
    },
    bundle: true,
    // Without the repository's paths, which lead to the sources.
    tsconfigRaw: '{}',
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    metafile: true,
    write: false,
  });
  const [bundle] = outputFiles;
  const outside = Object.values(metafile.outputs).flatMap((output) => output.imports);
  if (bundle === undefined || outside.length > 0) {
    throw new Error(`not for browsers: imports ${outside.map(({ path }) => path).join(', ')}`);
  }
  const gzipBytes = gzipSync(bundle.contents, { level: 9 }).byteLength;
  writeSync(1, `${name}: ${bundle.contents.byteLength} bytes minified, ${gzipBytes} bytes gzip\n`);
}

await measure('client', 'createClient');
await measure('upload', 'createFileUpload');
await measure('put', 'put');
