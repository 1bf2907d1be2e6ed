import { Component, type ReactNode } from 'react';
import { ErrorBox } from '../parts/error-box.tsx';

/** Keeps the frame where a view fails: its file may be gone after an upgrade of the service. */
export class ViewBoundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: undefined };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return <ErrorBox error={error} onRetry={() => window.location.reload()} />;
  }
}
