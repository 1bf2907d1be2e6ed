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
  const failure = error instanceof StorageRoutingError ? error : undefined;
  const [title = 'That did not work', advice] = (failure && errorMessage(failure.code)) ?? [];
  return (
    <div className="notice notice-bad" role="alert">
      <p className="notice-title">{title}</p>
      {advice ? <p>{advice}</p> : null}
      <p className="notice-detail">{errorDetail(error)}</p>
      {failure?.details && failure.details.length > 0 ? (
        <ul>
          {failure.details.map(({ path, message }) => (
            <li key={path}>
              <code>{path.slice(1)}</code> {message}
            </li>
          ))}
        </ul>
      ) : null}
      {failure ? (
        <p className="notice-detail">
          Code <code>{failure.code}</code>
          {failure.requestId === undefined ? null : (
            <>
              , request <code>{failure.requestId}</code>
            </>
          )}
        </p>
      ) : null}
      {onRetry ? <ActionButton onPress={onRetry}>Try again</ActionButton> : null}
    </div>
  );
}
