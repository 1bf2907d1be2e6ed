import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** One `// spec:` comment: the statements that the test below it verifies. */
export interface Tag {
  readonly file: string;
  readonly line: number;
  /** Ids of statements; `endpoint.*` stands for all ids with that prefix. */
  readonly ids: readonly string[];
  /** The first line below the comment that is not a `// spec:` comment. */
  readonly target: string;
}

const COMMENT = /^\s*\/\/ spec: (.+)$/;

/** Reads the tags of all TypeScript files below a folder. */
export async function readTags(folder: string): Promise<readonly Tag[]> {
  const names = await readdir(folder, { recursive: true });
  const files = names.filter((name) => name.endsWith('.ts')).map((name) => join(folder, name));
  const tags = await Promise.all(
    files.sort().map(async (file) => parseTags(file, await readFile(file, 'utf8'))),
  );
  return tags.flat();
}

/** The tags of one file. */
export function parseTags(file: string, source: string): readonly Tag[] {
  const lines = source.split('\n');
  return lines.flatMap((text, index): Tag[] => {
    const ids = COMMENT.exec(text)?.[1];
    if (ids === undefined) return [];
    const target = lines.slice(index).find((line) => !COMMENT.test(line)) ?? '';
    return [{ file, line: index + 1, ids: ids.split(',').map((id) => id.trim()), target }];
  });
}

/** Whether the tag names the statement. */
export function includesId({ ids }: Tag, id: string): boolean {
  return ids.some(
    (name) => name === id || (name.endsWith('.*') && id.startsWith(name.slice(0, -1))),
  );
}
