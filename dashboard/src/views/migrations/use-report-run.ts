import type { StorageRoutingClient } from '@storage-routing/client';
import { useEffect, useRef, useState } from 'react';
import { useApi } from '../../data/api.ts';

/** How often the count of a running one is shown. */
const SHOWN_EVERY_MS = 250;

export type ReportRun<T> =
  | { readonly state: 'idle' | 'stopped' }
  | { readonly state: 'running'; readonly lines: number }
  | { readonly state: 'done'; readonly lines: number; readonly result: T }
  | { readonly state: 'failed'; readonly error: unknown };

/** Reads lines until it has what it wants; it may begin anew if the session had to be renewed. */
export type ReadReport<T, Line> = (lines: AsyncIterable<Line>) => Promise<T>;

/** The call that streams a report. */
export type OpenReport<Line> = (
  api: StorageRoutingClient,
  options: { readonly signal: AbortSignal },
) => AsyncIterable<Line>;

/** Streams a report through a function, one reading at a time; it ends with the view. */
export function useReportRun<T, Line>(open: OpenReport<Line>) {
  const call = useApi();
  const [run, setRun] = useState<ReportRun<T>>({ state: 'idle' });
  const current = useRef<AbortController>(undefined);
  useEffect(() => () => current.current?.abort(), []);

  const start = (read: ReadReport<T, Line>): void => {
    current.current?.abort();
    const controller = new AbortController();
    const { signal } = controller;
    current.current = controller;
    let lines = 0;
    const show = (next: ReportRun<T>) => {
      if (current.current === controller) setRun(next);
    };
    const timer = setInterval(() => show({ state: 'running', lines }), SHOWN_EVERY_MS);
    show({ state: 'running', lines });
    call(async (api) => {
      lines = 0;
      return await read(counted(open(api, { signal }), () => (lines += 1)));
    })
      .then(
        (result) => show({ state: 'done', lines, result }),
        (error: unknown) =>
          show(signal.aborted ? { state: 'stopped' } : { state: 'failed', error }),
      )
      .finally(() => clearInterval(timer));
  };
  return { run, start, stop: () => current.current?.abort() };
}

async function* counted<Line>(lines: AsyncIterable<Line>, count: () => void): AsyncGenerator<Line> {
  for await (const line of lines) {
    count();
    yield line;
  }
}
