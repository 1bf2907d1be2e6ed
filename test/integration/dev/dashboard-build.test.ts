import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isOutdated } from '../../../dev/dashboard.ts';

const MADE = new Date('2026-11-20T12:00:00Z');
const BEFORE = new Date('2026-11-20T11:00:00Z');
const AFTER = new Date('2026-11-20T13:00:00Z');

describe('the build of the dashboard that `npm run dev` looks at', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'outdated-'));
    await mkdir(join(folder, 'src/views'), { recursive: true });
    await write('page.html', MADE);
    await write('src/views/view.tsx', BEFORE);
    await write('package.json', BEFORE);
    for (const path of ['src/views', 'src']) await utimes(join(folder, path), BEFORE, BEFORE);
  });
  afterEach(async () => await rm(folder, { recursive: true }));

  const write = async (path: string, changedAt: Date) => {
    await writeFile(join(folder, path), '');
    await utimes(join(folder, path), changedAt, changedAt);
  };
  const isStale = async () =>
    await isOutdated(
      join(folder, 'page.html'),
      ['src', 'package.json'].map((path) => join(folder, path)),
    );

  it('is kept while it is newer than every source', async () => {
    assert.equal(await isStale(), false);
  });

  it('is made where there is none', async () => {
    await rm(join(folder, 'page.html'));
    assert.equal(await isStale(), true);
  });

  it('is made anew when a source at any depth has changed', async () => {
    await write('src/views/view.tsx', AFTER);
    assert.equal(await isStale(), true);
  });

  it('is made anew when a source was removed', async () => {
    await rm(join(folder, 'src/views/view.tsx'));
    assert.equal(await isStale(), true);
  });
});
