import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';

const react = new URL('../../../react/', import.meta.url);

/** The same files are tested in a browser: `test/browser/react-upload.test.ts`. */
describe('the README of the React package', () => {
  it("shows the example's component, functions and routes as they are", async () => {
    const readme = await readFile(new URL('README.md', react), 'utf8');
    const blocks = [...readme.matchAll(/```(?:tsx|ts|js)\n(.*?)```/gs)].map(
      ([, code = '']) => code,
    );
    const page = new URL('examples/page/', react);
    const names = (await readdir(page)).filter((name) => /\.(?:tsx|ts|js)$/.test(name));
    const files = await Promise.all(
      names.map(async (name) => await readFile(new URL(name, page), 'utf8')),
    );
    const own = names.filter((_name, index) => blocks.includes(files[index] ?? ''));
    assert.deepEqual(own.toSorted(), ['routes.js', 'upload-calls.ts', 'uploads.tsx']);
    const others = blocks.filter((block) => !files.includes(block));
    assert.deepEqual(others.length, 1, 'only the wiring of Express is no file of the example');
  });
});
