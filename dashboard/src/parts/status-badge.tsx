interface StatusBadgeProps {
  /** Beside the colour, the words say it. */
  readonly tone: 'good' | 'bad' | 'busy' | 'quiet';
  readonly children: string;
}

export function StatusBadge({ tone, children }: StatusBadgeProps) {
  return <span className={`badge badge-${tone}`}>{children}</span>;
}
