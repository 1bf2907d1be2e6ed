import { Component, Suspense, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { Link, Route, Switch, useLocation } from 'wouter';
import { ActionButton } from '../parts/action-button.tsx';
import { Empty, Loading } from '../parts/loaded.tsx';
import { NavigatedContext, Page } from '../parts/page.tsx';
import { useSession } from '../session/use-session.ts';
import { VIEWS } from '../views/table.ts';
import { Mark } from './mark.tsx';
import { ReaderNotice } from './reader-notice.tsx';
import { ErrorBox } from '../parts/error-box.tsx';

/** What surrounds every view: the way to the others, and who is logged in. */
export function Frame() {
  const [location] = useLocation();
  const navigated = useNavigated(location);
  return (
    <NavigatedContext value={navigated}>
      <a className="skip-link" href="#content">
        Skip to the content
      </a>
      <SideBar key={location} location={location} />
      <main id="content" tabIndex={-1}>
        <ReaderNotice />
        <ViewBoundary key={location}>
          <Suspense fallback={<Loading what="the view" />}>
            <Switch>
              {VIEWS.map(({ path, component }) => (
                <Route key={path} path={path} component={component} />
              ))}
              <Route component={NotFound} />
            </Switch>
          </Suspense>
        </ViewBoundary>
      </main>
    </NavigatedContext>
  );
}

/** Keeps the frame if a view fails: after an upgrade its file may no longer exist. */
class ViewBoundary extends Component<{ children: ReactNode }, { error: unknown }> {
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

/** True from the second location on. Views read it when they are shown. */
function useNavigated(location: string): { current: boolean } {
  const first = useRef(location);
  const navigated = useMemo(() => ({ current: false }), []);
  if (location !== first.current) navigated.current = true;
  return navigated;
}

function SideBar({ location }: { readonly location: string }) {
  const [isOpen, setOpen] = useState(false);
  const { session, state } = useSession();
  useEffect(() => {
    const close = (event: KeyboardEvent) => {
      if (event.key === 'Escape') setOpen(false);
    };
    document.addEventListener('keydown', close);
    return () => document.removeEventListener('keydown', close);
  }, []);
  return (
    <header className="side">
      <div className="side-head">
        <span className="brand">
          <Mark /> Storage Routing
        </span>
        <button
          type="button"
          className="menu-button"
          aria-expanded={isOpen}
          aria-controls="menu"
          onClick={() => setOpen(!isOpen)}
        >
          Menu
        </button>
      </div>
      <div id="menu" className={isOpen ? 'menu menu-open' : 'menu'}>
        <nav aria-label="Views">
          <ul>
            {VIEWS.map(({ path, link }) =>
              link === undefined ? null : (
                <li key={path}>
                  <Link href={path} {...(isAt(location, path) && { 'aria-current': 'page' })}>
                    <link.icon aria-hidden size={18} /> {link.title}
                  </Link>
                </li>
              ),
            )}
          </ul>
        </nav>
        <div className="who">
          <span>
            <strong>{state.user?.name}</strong>
            <span className="quiet">{state.user?.subject}</span>
          </span>
          <ActionButton onPress={() => void session.logOut()}>Log out</ActionButton>
        </div>
      </div>
    </header>
  );
}

function isAt(location: string, path: string): boolean {
  return location === path || (path !== '/' && location.startsWith(`${path}/`));
}

function NotFound() {
  return (
    <Page title="Not found">
      <Empty>
        <p>Page not found.</p>
        <Link href="/">To the overview</Link>
      </Empty>
    </Page>
  );
}
