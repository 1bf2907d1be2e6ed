import type { Migration } from '@storage-routing/client';
import type { Advice } from '../format/error-messages.ts';

interface StopProps {
  readonly error: NonNullable<Migration['error']>;
  readonly advice: Advice;
}

/** Why it stopped, and what to do. */
export function Stop({ error, advice: [title, advice] }: StopProps) {
  return (
    <div className="notice notice-bad">
      <p className="notice-title">{title}</p>
      {advice === '' ? null : <p>{advice}</p>}
      <p className="notice-detail">{error.message}</p>
      <p className="notice-detail">
        Code <code>{error.code}</code>
      </p>
    </div>
  );
}
