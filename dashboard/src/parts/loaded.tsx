import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { isRateLimited } from '../data/query-client.ts';
import { ErrorBox } from './error-box.tsx';

interface LoadedProps<T> {
  readonly query: UseQueryResult<T>;
  /** What is loaded, for a reader who does not see the page. */
  readonly what: string;
  readonly children: (data: T) => ReactNode;
}

/**
 * The states of a query: a skeleton until it has data; then the data, which stays while it is
 * fetched again and if that fails.
 */
export function Loaded<T>({ query, what, children }: LoadedProps<T>) {
  const { data, error, failureReason, refetch } = query;
  const notice = renderNotice(error, failureReason, () => void refetch());
  if (data !== undefined) {
    return (
      <>
        {notice}
        {children(data)}
      </>
    );
  }
  return notice ?? <Loading what={what} />;
}

function renderNotice(error: unknown, failureReason: unknown, retry: () => void): ReactNode {
  if (error) return <ErrorBox error={error} onRetry={retry} />;
  if (!isRateLimited(failureReason)) return null;
  return <RateLimited retryAfterMs={failureReason.retryAfterMs} />;
}

/** The call is repeated automatically. */
function RateLimited({ retryAfterMs = 60_000 }: { readonly retryAfterMs: number | undefined }) {
  return (
    <div className="notice" role="status">
      <p className="notice-title">Too many requests in this minute</p>
      <p>This page tries again within {Math.ceil(retryAfterMs / 1000)} seconds.</p>
    </div>
  );
}

export function Loading({ what }: { readonly what: string }) {
  return (
    <div className="skeleton" role="status" aria-label={`Loading ${what}`}>
      <span />
      <span />
      <span />
    </div>
  );
}

/** Shown instead of an empty list: what the reader can do. */
export function Empty({ children }: { readonly children: ReactNode }) {
  return <div className="empty">{children}</div>;
}
