import { useId, type ReactNode } from 'react';

interface CardProps {
  readonly title: string;
  /** Shown next to the title. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

/** A titled region of a view. */
export function Card({ title, aside, children }: CardProps) {
  const id = useId();
  return (
    <section className="card" aria-labelledby={id}>
      <div className="card-head">
        <h2 id={id}>{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  );
}
