import type { ReactNode } from 'react';

interface FigureProps {
  readonly label: string;
  readonly value: ReactNode;
  /** What the number rests on. */
  readonly basis: ReactNode;
}

/** One number. Belongs into `Figures`. */
export function Figure({ label, value, basis }: FigureProps) {
  return (
    <div className="figure">
      <dt>{label}</dt>
      <dd className="figure-value">{value}</dd>
      <dd className="figure-basis">{basis}</dd>
    </div>
  );
}

export function Figures({ children }: { readonly children: ReactNode }) {
  return <dl className="figures">{children}</dl>;
}
