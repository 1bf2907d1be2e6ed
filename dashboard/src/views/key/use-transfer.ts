import { useEffect, useRef, useState } from 'react';
import { sendFile, type Transfer, type TransferRequest } from './transfer.ts';

/** One upload at a time. It ends when the view is left. */
export function useTransfer(onEnded: () => void) {
  const [transfer, setTransfer] = useState<Transfer | undefined>();
  const running = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const run = (next: Transfer) => {
    const stop = new AbortController();
    running.current = stop;
    setTransfer(next);
    const change = (part: Partial<Transfer>) =>
      setTransfer((current) => (current ? { ...current, ...part } : current));
    void sendFile(next, change, stop.signal).then(onEnded);
  };
  return {
    transfer,
    start: (request: TransferRequest) => run({ request, status: 'sending', confirmedBytes: 0 }),
    /** Sends the rest. */
    resume: () => {
      if (transfer) run({ ...transfer, status: 'sending' });
    },
    cancel: () => running.current?.abort(),
    forget: () => setTransfer(undefined),
  };
}
