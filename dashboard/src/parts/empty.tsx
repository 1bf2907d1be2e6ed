import type { ReactNode } from 'react';

/** What to do where there is nothing yet. */
export function Empty({ children }: { readonly children: ReactNode }) {
  return <div className="empty">{children}</div>;
}
