import { formatCount } from '../format/numbers.ts';
import { ActionButton } from './action-button.tsx';

interface PagerProps {
  /** What is paged, for a reader who does not see the page: `recommendations`. */
  readonly what: string;
  readonly page: { readonly total: number; readonly limit: number; readonly offset: number };
  /** How many are shown. */
  readonly count: number;
  readonly onOffset: (offset: number) => void;
}

/** Where the reader is in a list, and the way to its other pages. */
export function Pager({ what, page: { total, limit, offset }, count, onOffset }: PagerProps) {
  if (total <= limit && offset === 0) return null;
  return (
    <nav className="actions" aria-label={`Pages of ${what}`}>
      <ActionButton isDisabled={offset === 0} onPress={() => onOffset(Math.max(0, offset - limit))}>
        Previous
      </ActionButton>
      <ActionButton isDisabled={offset + count >= total} onPress={() => onOffset(offset + limit)}>
        Next
      </ActionButton>
      <span className="quiet" role="status">
        {count === 0
          ? `There are only ${formatCount(total)}`
          : `${formatCount(offset + 1)} to ${formatCount(offset + count)} of ${formatCount(total)}`}
      </span>
    </nav>
  );
}
