import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import './theme.css';
import './parts/parts.css';
import './frame/frame.css';
import { ApiContext, createCallApi } from './data/api.ts';
import { createQueryClient } from './data/query-client.ts';
import { Frame } from './frame/frame.tsx';
import { Login } from './frame/login.tsx';
import { SessionDialog } from './frame/session-dialog.tsx';
import { Loading } from './parts/loaded.tsx';
import { BASE_PATH } from './session/config.ts';
import type { Session } from './session/session.ts';
import { SessionContext, useSession } from './session/use-session.ts';

/** Renders the page into an element, as long as the document lives. */
export function renderApp(element: Element, session: Session): void {
  const callApi = createCallApi(session, window.location.origin);
  const queryClient = createQueryClient();
  createRoot(element).render(
    <StrictMode>
      <SessionContext value={session}>
        <ApiContext value={callApi}>
          <QueryClientProvider client={queryClient}>
            <Router base={BASE_PATH}>
              <App />
            </Router>
          </QueryClientProvider>
        </ApiContext>
      </SessionContext>
    </StrictMode>,
  );
}

function App() {
  const { status } = useSession().state;
  switch (status) {
    case 'starting':
      return (
        <main className="login">
          <Loading what="your session" />
        </main>
      );
    case 'anonymous':
      return <Login />;
    case 'active':
    case 'ended':
      return (
        <>
          <Frame />
          <SessionDialog />
        </>
      );
  }
}
