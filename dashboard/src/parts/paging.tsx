import { Link } from 'wouter';
import { formatCount } from '../format/numbers.ts';

interface PagingProps {
  /** What is listed, for a reader who does not see the page. */
  readonly label: string;
  /** From 1. */
  readonly page: number;
  readonly pageSize: number;
  readonly total: number;
  /** The last page that the service answers. */
  readonly mostPages: number;
  readonly hrefOf: (page: number) => string;
}

/** The way through a list whose page is in the URL. */
export function Paging({ label, page, pageSize, total, mostPages, hrefOf }: PagingProps) {
  const last = Math.max(1, Math.min(mostPages, Math.ceil(total / pageSize)));
  const from = (page - 1) * pageSize + 1;
  const to = Math.min(total, page * pageSize);
  return (
    <nav className="paging" aria-label={label}>
      <span role="status">
        {from > total ? 'None' : `${formatCount(from)} to ${formatCount(to)}`} of{' '}
        {formatCount(total)}
      </span>
      <PageLink title="Previous" href={hrefOf(Math.min(page - 1, last))} isOff={page <= 1} />
      <PageLink title="Next" href={hrefOf(page + 1)} isOff={page >= last} />
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
