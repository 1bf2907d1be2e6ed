import { createHash } from 'node:crypto';
import process from 'node:process';

export const say = (line = ''): void => void process.stdout.write(`${line}\n`);

export function require(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Error(otherwise);
}

/** The SHA-256 of everything in the stream, in lower-case hex. */
export async function hashStream(
  stream: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of stream) hash.update(chunk);
  return hash.digest('hex');
}

const WIDTH = 30;

/** A progress bar that redraws itself on a terminal, and prints one line per change elsewhere. */
export function createBar() {
  const out = process.stdout;
  let last = '';
  return {
    show(phase: string, percent: number | null, note: string): void {
      const filled = Math.round(((percent ?? 0) / 100) * WIDTH);
      const drawn = '█'.repeat(filled).padEnd(WIDTH, '░');
      const line = `   ${drawn} ${String(percent ?? 0).padStart(3)} %  ${phase}, ${note}`;
      if (line === last) return;
      last = line;
      // Return to the first column and clear the rest of an earlier, longer line.
      out.write(out.isTTY ? `\r${line}\u001B[K` : `${line}\n`);
    },
    end: (): void => void (out.isTTY && out.write('\n')),
  };
}
