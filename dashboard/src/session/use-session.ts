import { createContext, use, useSyncExternalStore } from 'react';
import type { Session, SessionState } from './session.ts';

export const SessionContext = createContext<Session | undefined>(undefined);

/** @throws Error outside of a `SessionContext` */
export function useSession(): { session: Session; state: SessionState } {
  const session = use(SessionContext);
  if (!session) throw new Error('there is no session here');
  return { session, state: useSyncExternalStore(session.subscribe, session.getState) };
}
