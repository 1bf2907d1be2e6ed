import { loadConfig } from './session/config.ts';
import { Session } from './session/session.ts';
import { createUserManager, readReturn } from './session/user-manager.ts';

/** A window that the identity provider returns to loads no more than it needs. */
async function start(): Promise<void> {
  const manager = createUserManager(await loadConfig());
  const returned = readReturn(window.location);
  if (returned === 'frame') return await manager.signinSilentCallback();
  if (returned === 'popup') return await manager.signinPopupCallback();

  const session = new Session(manager);
  const loading = import('./app.tsx');
  if (returned === 'redirect') window.history.replaceState(null, '', await session.finish());
  else void session.start();
  const { renderApp } = await loading;
  const element = document.querySelector('#page');
  if (element) renderApp(element, session);
}

function showFailure(error: unknown): void {
  const text = document.createElement('p');
  text.role = 'alert';
  text.textContent = `The page could not be loaded: ${String(error)}. Load it again.`;
  document.querySelector('#page')?.replaceChildren(text);
}

start().catch(showFailure);
