import { formatTime, formatUtc } from '../format/values.ts';

/** A moment in the reader's zone, with UTC on hover. */
export function Time({ iso }: { readonly iso: string }) {
  return (
    <time dateTime={iso} title={formatUtc(iso)}>
      {formatTime(iso)}
    </time>
  );
}
