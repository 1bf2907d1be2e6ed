import { formatCode } from '../format/code.ts';

type Tone = 'good' | 'bad' | 'busy' | 'quiet';

interface BadgeProps {
  /** The words say the same as the colour. */
  readonly tone: Tone;
  readonly children: string;
}

export function Badge({ tone, children }: BadgeProps) {
  return <span className={`badge badge-${tone}`}>{children}</span>;
}

const TONES: Readonly<Record<string, Tone>> = {
  active: 'good',
  approved: 'good',
  completed: 'good',
  copied: 'good',
  done: 'good',
  skipped: 'good',
  completed_with_failures: 'bad',
  failed: 'bad',
  cancelling: 'busy',
  copying: 'busy',
  deleting: 'busy',
  draining: 'busy',
  open: 'busy',
  pending: 'busy',
  planning: 'busy',
  queued: 'busy',
  reading: 'busy',
  removing: 'busy',
  running: 'busy',
  sampling: 'busy',
  verifying: 'busy',
};

/** A status or an outcome, by its code. */
export function StatusBadge({ status }: { readonly status: string }) {
  return <Badge tone={TONES[status] ?? 'quiet'}>{formatCode(status)}</Badge>;
}
