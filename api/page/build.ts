import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The encodings of a built file, the preferred one first, and the ending of each. */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/** A file of the build, its name hashed over its content. */
export interface Asset {
  readonly type: string;
  readonly bytes: Buffer;
  /** In the order of preference. */
  readonly encoded: readonly { readonly encoding: 'br' | 'gzip'; readonly bytes: Buffer }[];
}

/** The build of the page, in memory. */
export interface PageBuild {
  /** The one HTML page, with placeholders for the nonce. */
  readonly html: string;
  /** By file name. */
  readonly assets: ReadonlyMap<string, Asset>;
}

/** The output of `npm run build`, seen from this file's source or from its own output. */
export const BUILD_FOLDER = new URL(
  import.meta.url.endsWith('.ts') ? '../../dist/dashboard/' : '../../dashboard/',
  import.meta.url,
);

/** Reads the whole build, so that no request names a file. Undefined if there is none. */
export async function readPageBuild(folder: URL): Promise<PageBuild | undefined> {
  const html = await readFile(new URL('index.html', folder), 'utf8').catch(() => undefined);
  if (html === undefined) return undefined;
  const assetFolder = new URL('assets/', folder);
  const names = (await readdir(assetFolder)).filter((name) => extname(name) in TYPES);
  const assets = names.map(
    async (name) => [name, await readAsset(new URL(name, assetFolder))] as const,
  );
  return { html, assets: new Map(await Promise.all(assets)) };
}

async function readAsset(file: URL): Promise<Asset> {
  const encoded = ENCODINGS.map(async ([encoding, ending]) => ({
    encoding,
    bytes: await readFile(new URL(`${file.href}${ending}`)),
  }));
  return {
    type: TYPES[extname(file.pathname)] ?? '',
    bytes: await readFile(file),
    encoded: await Promise.all(encoded),
  };
}
