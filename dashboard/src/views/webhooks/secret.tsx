import { ActionButton } from '../../parts/action-button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';

interface SecretProps {
  readonly secret: string;
  /** Hides the secret. */
  readonly onStored: () => void;
}

/** A new secret, shown once. */
export function Secret({ secret, onStored }: SecretProps) {
  return (
    <div className="notice" role="status">
      <p className="notice-title">The secret, shown only once</p>
      <p>
        <code>{secret}</code>
      </p>
      <p>Your receiver verifies signatures with it. It cannot be shown again.</p>
      <div className="actions">
        <CopyButton text={secret} label="Copy the secret" />
        <ActionButton onPress={onStored}>I have stored it</ActionButton>
      </div>
    </div>
  );
}
