import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, rm, unlink, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

import { readSeeded, type SeededContent } from './seeded.ts';

/** The storage of an object's bytes. */
export type Body =
  | { readonly kind: 'memory'; readonly sizeBytes: number; readonly bytes: Buffer }
  | { readonly kind: 'file'; readonly sizeBytes: number; readonly path: string }
  | ({ readonly kind: 'seeded' } & SeededContent)
  | { readonly kind: 'parts'; readonly sizeBytes: number; readonly parts: readonly Body[] }
  /** Received and hashed; only its size was kept. */
  | { readonly kind: 'discarded'; readonly sizeBytes: number };

/** Larger bodies go to files. */
const MEMORY_LIMIT_BYTES = 4 * 1024 * 1024;

/** No bytes. */
export const EMPTY_BODY: Body = { kind: 'memory', sizeBytes: 0, bytes: Buffer.alloc(0) };

/** Bodies whose files are in `directory`, created on first use. */
export type Bodies = ReturnType<typeof createBodies>;

/** Small bodies stay in memory. The file of a larger one stays until `close()`, as copies may share it. */
export function createBodies(directory: string) {
  return {
    /** Receives a whole stream. */
    receive: (source: AsyncIterable<Buffer>): Promise<Body> => receive(source, directory),
    /** Removes all files. */
    close: (): Promise<void> => rm(directory, { recursive: true, force: true }),
  };
}

/** Receives a whole stream and keeps its size only. */
export async function discard(source: AsyncIterable<Buffer>): Promise<Body> {
  let sizeBytes = 0;
  for await (const chunk of source) sizeBytes += chunk.length;
  return { kind: 'discarded', sizeBytes };
}

interface Spill {
  readonly path: string;
  readonly handle: FileHandle;
}

async function receive(source: AsyncIterable<Buffer>, directory: string): Promise<Body> {
  const held: Buffer[] = [];
  let sizeBytes = 0;
  let spill: Spill | null = null;
  try {
    for await (const chunk of source) {
      sizeBytes += chunk.length;
      held.push(chunk);
      if (sizeBytes <= MEMORY_LIMIT_BYTES) continue;
      spill ??= await openSpill(directory);
      // Unlike `write`, this one writes all of it.
      for (const piece of held.splice(0)) await spill.handle.appendFile(piece);
    }
  } catch (error) {
    await spill?.handle.close();
    if (spill !== null) await unlink(spill.path);
    throw error;
  }
  if (spill === null) return { kind: 'memory', sizeBytes, bytes: Buffer.concat(held) };
  await spill.handle.close();
  return { kind: 'file', sizeBytes, path: spill.path };
}

async function openSpill(directory: string): Promise<Spill> {
  await mkdir(directory, { recursive: true });
  const path = join(directory, randomUUID());
  return { path, handle: await open(path, 'wx') };
}

/** Whether the bytes from `start` up to, not including, `end` can be read. */
export function isKept(body: Body, start: number, end: number): boolean {
  for (const { piece } of pieces(body, start, end)) if (piece.kind === 'discarded') return false;
  return true;
}

/**
 * Reads the bytes from `start` up to, not including, `end`.
 *
 * @throws TypeError if they were not kept, see {@link isKept}
 */
export async function* readBody(body: Body, start: number, end: number): AsyncGenerator<Buffer> {
  for (const { piece, from, to } of pieces(body, start, end)) {
    switch (piece.kind) {
      case 'memory':
        yield piece.bytes.subarray(from, to);
        break;
      case 'file':
        // The end of a read stream is inclusive.
        yield* createReadStream(piece.path, { start: from, end: to - 1 });
        break;
      case 'seeded':
        yield* readSeeded(piece, from, to);
        break;
      case 'discarded':
        throw new TypeError('the bytes were not kept');
    }
  }
}

interface Range {
  readonly piece: Exclude<Body, { kind: 'parts' }>;
  readonly from: number;
  readonly to: number;
}

/** The bodies that hold a range, in order, with the range of each. */
function* pieces(body: Body, start: number, end: number): Generator<Range> {
  if (start >= end) return;
  if (body.kind !== 'parts') {
    yield { piece: body, from: start, to: end };
    return;
  }
  let offset = 0;
  for (const part of body.parts) {
    yield* pieces(part, Math.max(start - offset, 0), Math.min(end - offset, part.sizeBytes));
    offset += part.sizeBytes;
  }
}
