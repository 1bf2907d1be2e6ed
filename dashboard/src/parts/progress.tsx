import { Label } from 'react-aria-components/Label';
import { ProgressBar } from 'react-aria-components/ProgressBar';

interface ProgressProps {
  readonly label: string;
  /** 0 to 100; null while the end is not known. */
  readonly percent: number | null;
  /** What is done and what is left, in words. */
  readonly text: string;
}

/** How far something has come. */
export function Progress({ label, percent, text }: ProgressProps) {
  return (
    <ProgressBar
      className="progress"
      // A small number in scientific notation is no valid value.
      value={Math.round((percent ?? 0) * 100) / 100}
      isIndeterminate={percent === null}
      valueLabel={text}
    >
      <Label>{label}</Label>
      <span className="progress-text">{text}</span>
      <span className="progress-track" aria-hidden="true">
        <span style={{ width: percent === null ? '100%' : `${percent}%` }} />
      </span>
    </ProgressBar>
  );
}
