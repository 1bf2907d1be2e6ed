import type { ReactNode } from 'react';

/** A name and its value, in a row of its own if `isWide`. A fact without a value is not shown. */
export type Fact = readonly [name: string, value: ReactNode, isWide?: boolean];

export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl className="facts">
      {facts.map(([name, value, isWide = false]) =>
        value === undefined || value === null ? null : (
          <div key={name} className={isWide ? 'wide' : undefined}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}
