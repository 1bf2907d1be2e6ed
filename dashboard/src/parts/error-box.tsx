import { StorageRoutingError } from '@storage-routing/client';
import { errorDetail, errorMessage } from '../format/error-messages.ts';
import { ActionButton } from './action-button.tsx';

interface ErrorBoxProps {
  readonly error: unknown;
  /** Undefined: there is nothing to repeat. */
  readonly onRetry?: (() => void) | undefined;
}

/** What failed, what to do, and the request id for the operator. */
export function ErrorBox({ error, onRetry }: ErrorBoxProps) {
  const known = error instanceof StorageRoutingError ? error : undefined;
  const message = known && errorMessage(known.code);
  return (
    <div className="notice notice-bad" role="alert">
      <p className="notice-title">{message?.title ?? 'That did not work'}</p>
      {message?.advice ? <p>{message.advice}</p> : null}
      <p className="notice-detail">{errorDetail(error)}</p>
      {known?.details && known.details.length > 0 ? (
        <ul>
          {known.details.map(({ path, message }) => (
            <li key={path}>
              <code>{path.slice(1)}</code> {message}
            </li>
          ))}
        </ul>
      ) : null}
      {known ? (
        <p className="notice-detail">
          Code <code>{known.code}</code>
          {known.requestId === undefined ? null : (
            <>
              , request <code>{known.requestId}</code>
            </>
          )}
        </p>
      ) : null}
      {onRetry ? <ActionButton onPress={onRetry}>Try again</ActionButton> : null}
    </div>
  );
}
