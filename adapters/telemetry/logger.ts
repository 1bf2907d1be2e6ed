import { pino, type Logger } from 'pino';

export type { Logger };

/** JSON lines for machines; on a terminal, lines for people. */
export function createLogger(name: string, level: string): Logger {
  const pretty = process.stdout.isTTY;
  return pino({
    name,
    level,
    ...(pretty
      ? { transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname' } } }
      : {}),
  });
}
