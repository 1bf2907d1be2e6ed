import { useLocation, useSearchParams } from 'wouter';
import { MOST_PAGES } from '../data/page.ts';

export interface ListLocation {
  /** From 1. */
  readonly page: number;
  pageHref(page: number): string;
  filter(name: string): string | null;
  /** Null removes it. The list begins anew. */
  setFilter(name: string, value: string | null): void;
}

const PAGE = 'page';

/** The filters and the page of a list, which are in the address. */
export function useListLocation(): ListLocation {
  const [path] = useLocation();
  const [parameters, setParameters] = useSearchParams();
  const changed = (previous: URLSearchParams, changes: Readonly<Record<string, string | null>>) => {
    const next = new URLSearchParams(previous);
    for (const [name, value] of Object.entries(changes))
      if (value === null) next.delete(name);
      else next.set(name, value);
    return next;
  };
  return {
    page: parsePage(parameters.get(PAGE)),
    pageHref: (page) => `${path}?${changed(parameters, { [PAGE]: String(page) }).toString()}`,
    filter: (name) => parameters.get(name),
    setFilter: (name, value) =>
      setParameters((previous) => changed(previous, { [name]: value, [PAGE]: null })),
  };
}

/** Anything that is no page is the first. */
function parsePage(text: string | null): number {
  const page = Number(text);
  return Number.isInteger(page) && page >= 1 && page <= MOST_PAGES ? page : 1;
}
