import { formatMoney, type Place } from '@storage-routing/client';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ComponentProps, ReactNode } from 'react';
import { Link } from 'wouter';
import { useProviderTitle } from '../data/providers.ts';
import { Card } from './card.tsx';
import { numberColumn } from './columns.tsx';
import { DataTable, type Column } from './data-table.tsx';
import { Empty, Loaded } from './loaded.tsx';
import { Paging } from './paging.tsx';
import { Progress } from './progress.tsx';
import { StatusBadge } from './status-badge.tsx';
import { Time } from './time.tsx';
import type { ListLocation } from './use-list-location.ts';

interface Run {
  readonly status: string;
  readonly from: Place;
  readonly to: Place;
  readonly costUsd: number;
  readonly startedAt: string;
  readonly startedByName: string;
}

interface RunListProps<R extends Run> {
  readonly title: string;
  /** Such as `relocations`. */
  readonly what: string;
  readonly caption: string;
  readonly query: UseQueryResult<{ items: R[]; total: number; offset: number }>;
  readonly location: ListLocation;
  hrefOf(run: NoInfer<R>): string;
  isRunning(run: NoInfer<R>): boolean;
  progressOf(run: NoInfer<R>): ComponentProps<typeof Progress>;
  /** What came of it so far. */
  readonly outcome: Column<NoInfer<R>>;
  /** Shown instead of an empty list. */
  readonly children: ReactNode;
}

/** What runs from one place to another or has ended, the newest first; the page is in the URL. */
export function RunList<R extends Run>(props: RunListProps<R>) {
  const { title, what, caption, query, location, children } = props;
  return (
    <Card title={title}>
      <Loaded query={query} what={`the ${what}`}>
        {(list) =>
          list.total === 0 ? (
            <Empty>{children}</Empty>
          ) : (
            <>
              <DataTable
                caption={caption}
                rows={list.items}
                rowKey={props.hrefOf}
                columns={columnsOf(props)}
              />
              <Paging what={what} list={list} location={location} />
            </>
          )
        }
      </Loaded>
    </Card>
  );
}

function columnsOf<R extends Run>(props: RunListProps<R>): readonly Column<R>[] {
  return [
    { title: 'What', cell: (run) => <RunLink run={run} href={props.hrefOf(run)} /> },
    {
      title: 'State',
      cell: (run) => (
        <>
          <StatusBadge status={run.status} />
          {props.isRunning(run) ? <Progress {...props.progressOf(run)} /> : null}
        </>
      ),
    },
    props.outcome,
    numberColumn('Cost', 'costUsd', formatMoney),
    {
      title: 'Started',
      isMinor: true,
      cell: ({ startedAt, startedByName }) => (
        <>
          <Time iso={startedAt} />
          <span className="quiet small">by {startedByName}</span>
        </>
      ),
    },
  ];
}

function RunLink({ run: { from, to }, href }: { readonly run: Run; readonly href: string }) {
  const providerTitle = useProviderTitle();
  return (
    <span className="prose">
      <Link href={href}>{from.bucketName}</Link>
      <span className="quiet small">
        {providerTitle(from.provider)} to {to.bucketName} ({providerTitle(to.provider)})
      </span>
    </span>
  );
}
