import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, rm, unlink, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

import { readSeeded } from './seeded.ts';

/** The storage of an object's bytes. */
export type Body =
  | { readonly kind: 'memory'; readonly sizeBytes: number; readonly bytes: Buffer }
  | { readonly kind: 'file'; readonly sizeBytes: number; readonly file: SharedFile }
  | {
      readonly kind: 'seeded';
      readonly sizeBytes: number;
      readonly seed: string;
      readonly index: number;
    }
  | { readonly kind: 'parts'; readonly sizeBytes: number; readonly parts: readonly Body[] }
  /** Received and hashed; only its size was kept. */
  | { readonly kind: 'discarded'; readonly sizeBytes: number };

/** A reference-counted file: copies share it. */
interface SharedFile {
  readonly path: string;
  references: number;
}

/** Stores bodies: small ones in memory, larger ones as files of one directory. */
export interface Bodies {
  /** Receives a whole stream. */
  receive(source: AsyncIterable<Buffer>): Promise<Body>;
  /**
   * Bytes from `start` up to, not including, `end`.
   *
   * @throws TypeError where they were not kept, see {@link isKept}
   */
  read(body: Body, start: number, end: number): AsyncGenerator<Buffer>;
  /** Adds a reference to this body. */
  hold(body: Body): void;
  /** Drops a reference; the last one deletes the file. */
  release(body: Body): Promise<void>;
  /** Removes all files. */
  close(): Promise<void>;
}

/** No bytes. */
export const EMPTY_BODY: Body = { kind: 'memory', sizeBytes: 0, bytes: Buffer.alloc(0) };

/** Bodies above `memoryLimitBytes` go to files in `directory`, created on first use. */
export function createBodies(directory: string, memoryLimitBytes: number): Bodies {
  return {
    receive: (source) => receive(source, directory, memoryLimitBytes),
    read,
    hold: (body) => eachFile(body, (file) => void (file.references += 1)),
    async release(body) {
      const unreferenced: string[] = [];
      eachFile(body, (file) => {
        file.references -= 1;
        if (file.references === 0) unreferenced.push(file.path);
      });
      await Promise.all(unreferenced.map((path) => unlink(path)));
    },
    close: () => rm(directory, { recursive: true, force: true }),
  };
}

function eachFile(body: Body, visit: (file: SharedFile) => void): void {
  switch (body.kind) {
    case 'file':
      visit(body.file);
      break;
    case 'parts':
      for (const part of body.parts) eachFile(part, visit);
      break;
    case 'memory':
    case 'seeded':
    case 'discarded':
      break;
  }
}

/** Receives a whole stream and keeps its size only. */
export async function discard(source: AsyncIterable<Buffer>): Promise<Body> {
  let sizeBytes = 0;
  for await (const chunk of source) sizeBytes += chunk.length;
  return { kind: 'discarded', sizeBytes };
}

/** Whether the bytes from `start` up to, not including, `end` can be read. */
export function isKept(body: Body, start: number, end: number): boolean {
  for (const { piece } of pieces(body, start, end)) if (piece.kind === 'discarded') return false;
  return true;
}

interface Spill {
  readonly path: string;
  readonly handle: FileHandle;
}

async function receive(
  source: AsyncIterable<Buffer>,
  directory: string,
  memoryLimitBytes: number,
): Promise<Body> {
  const held: Buffer[] = [];
  let sizeBytes = 0;
  let spill: Spill | null = null;
  try {
    for await (const chunk of source) {
      sizeBytes += chunk.length;
      held.push(chunk);
      if (sizeBytes <= memoryLimitBytes) continue;
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
  return { kind: 'file', sizeBytes, file: { path: spill.path, references: 1 } };
}

async function openSpill(directory: string): Promise<Spill> {
  await mkdir(directory, { recursive: true });
  const path = join(directory, randomUUID());
  return { path, handle: await open(path, 'wx') };
}

async function* read(body: Body, start: number, end: number): AsyncGenerator<Buffer> {
  for (const { piece, from, to } of pieces(body, start, end)) yield* readPiece(piece, from, to);
}

type Piece = Exclude<Body, { kind: 'parts' }>;

/** The bodies that hold a range, in order, with the range of each. */
function* pieces(
  body: Body,
  start: number,
  end: number,
): Generator<{ readonly piece: Piece; readonly from: number; readonly to: number }> {
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

async function* readPiece(piece: Piece, start: number, end: number): AsyncGenerator<Buffer> {
  switch (piece.kind) {
    case 'memory':
      yield piece.bytes.subarray(start, end);
      break;
    case 'file':
      // The end of a read stream is inclusive.
      yield* createReadStream(piece.file.path, { start, end: end - 1 }) as AsyncIterable<Buffer>;
      break;
    case 'seeded':
      yield* readSeeded(piece, start, end);
      break;
    case 'discarded':
      throw new TypeError('the bytes were not kept');
  }
}
