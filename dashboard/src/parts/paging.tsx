import { formatNumber } from '@storage-routing/client';
import { Link } from 'wouter';
import { MOST_PAGES, PAGE_SIZE } from '../data/page.ts';
import type { ListLocation } from './use-list-location.ts';

interface PagingProps {
  /** What is listed, for a reader who does not see the page: `routed files`. */
  readonly what: string;
  /** As it was answered: the page before, while the next one is loaded. */
  readonly list: { readonly total: number; readonly offset: number };
  readonly location: ListLocation;
}

/** The place in a list, and links to its other pages. */
export function Paging({ what, list, location: { page, pageHref } }: PagingProps) {
  const { total, offset } = list;
  const last = Math.max(1, Math.min(MOST_PAGES, Math.ceil(total / PAGE_SIZE)));
  if (last === 1 && page === 1) return null;
  const from = offset + 1;
  const to = Math.min(total, offset + PAGE_SIZE);
  return (
    <nav className="paging" aria-label={`Pages of ${what}`}>
      <span role="status">
        {from > total
          ? `This page is behind the end of a list of ${formatNumber(total)}`
          : `${formatNumber(from)} to ${formatNumber(to)} of ${formatNumber(total)}`}
      </span>
      <PageLink title="Previous" href={pageHref(Math.min(page - 1, last))} isOff={page <= 1} />
      <PageLink title="Next" href={pageHref(page + 1)} isOff={page >= last} />
    </nav>
  );
}

interface PageLinkProps {
  readonly title: string;
  readonly href: string;
  readonly isOff: boolean;
}

/** At the end it does nothing, and keeps the focus. */
function PageLink({ title, href, isOff }: PageLinkProps) {
  return (
    <Link
      className="button"
      href={href}
      {...(isOff && { 'aria-disabled': true, onClick: (event) => event.preventDefault() })}
    >
      {title}
    </Link>
  );
}
