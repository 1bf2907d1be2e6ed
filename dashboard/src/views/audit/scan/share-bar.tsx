import { formatPercent } from '../../../format/numbers.ts';

/** A share as a bar and as text. @param share 0 to 1 */
export function ShareBar({ share }: { readonly share: number }) {
  return (
    <span className="share">
      <Track share={share} />
      <span>{formatPercent(share)}</span>
    </span>
  );
}

interface TrackProps {
  readonly share: number;
  readonly tone?: 'now' | 'then';
}

export function Track({ share, tone = 'now' }: TrackProps) {
  return (
    <span className={`bar-track bar-${tone}`} aria-hidden="true">
      <span style={{ width: `${share * 100}%` }} />
    </span>
  );
}
