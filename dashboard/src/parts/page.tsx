import { createContext, use, useEffect, useRef, type ReactNode } from 'react';

/** Whether the reader has navigated: the first view leaves the focus where the browser puts it. */
export const NavigatedContext = createContext<{ current: boolean }>({ current: false });

interface PageProps {
  readonly title: string;
  /** What the reader can do on the whole view. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A view: its title is the document's, and takes the focus after a navigation. */
export function Page({ title, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const navigated = use(NavigatedContext);
  useEffect(() => {
    document.title = `${title} · Storage Routing`;
    if (navigated.current) heading.current?.focus();
  }, [title, navigated]);
  return (
    <>
      <div className="page-head">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {actions}
      </div>
      {children}
    </>
  );
}
