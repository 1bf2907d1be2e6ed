import { useEffect } from 'react';
import { ActionButton } from '../parts/action-button.tsx';
import { useSession } from '../session/use-session.ts';
import { Mark } from './mark.tsx';

/** The page of a reader who is not logged in. */
export function Login() {
  const { session, state } = useSession();
  useEffect(() => {
    document.title = 'Log in · Storage Routing';
  }, []);
  const { pathname, search } = window.location;
  return (
    <main className="login">
      <Mark size={44} />
      <h1>Storage Routing</h1>
      <p>What your cloud storage costs, what it could cost, and how to get there.</p>
      {state.problem === undefined ? null : (
        <div className="notice notice-bad" role="alert">
          <p className="notice-title">The login did not succeed</p>
          <p className="notice-detail">{state.problem}</p>
        </div>
      )}
      <ActionButton kind="primary" onPress={() => void session.logIn(`${pathname}${search}`)}>
        Log in
      </ActionButton>
    </main>
  );
}
