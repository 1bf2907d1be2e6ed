import { Type } from 'typebox';
import { FILE_STATUSES } from '../../domain/uploads/file.ts';
import { PRIORITIES } from '../../domain/providers/catalogue.ts';
import { closed, nullable, oneOf, page, pageView, Provider, Time, Usd } from '../http/schemas.ts';
import { RoutingView } from '../uploads/schemas.ts';

const Month = Type.String({ description: 'a UTC month', examples: ['2026-11'] });
const Gb = Type.Number({ description: 'bytes / 10^9, unrounded' });

const ByProvider = Type.Array(
  Type.Object({
    provider: Provider,
    files: Type.Integer({ description: 'completed uploads, also those deleted since' }),
    gbRouted: Gb,
    savedVsAwsUsd: Usd,
  }),
  { description: 'those that something was routed to, in the order of the catalogue' },
);

const routed = {
  month: Month,
  uploads: Type.Integer({ description: 'completed uploads, also those deleted since' }),
  gbRouted: Gb,
  savedVsAwsUsd: Usd,
};

export const SummaryView = Type.Object({
  files: Type.Object({
    pending: Type.Integer(),
    active: Type.Integer(),
    deleted: Type.Integer({ description: 'those whose delete is under way too' }),
    expired: Type.Integer(),
  }),
  gbRouted: Gb,
  savedVsAwsUsd: Usd,
  byProvider: ByProvider,
  currentMonth: Type.Object(routed),
});

export const MonthlyView = Type.Object({
  months: Type.Array(Type.Object({ ...routed, byProvider: ByProvider }), {
    description: 'the last 12 months, the oldest first, empty ones as zeros',
  }),
});

export const HistoryItem = Type.Object({
  fileId: Type.String(),
  fileName: Type.String(),
  fileSizeBytes: Type.Integer(),
  priority: oneOf(PRIORITIES),
  provider: Provider,
  preferredProvider: Provider,
  status: oneOf(FILE_STATUSES),
  savedVsAwsUsd: Usd,
  routingWarning: nullable(Type.String()),
  createdAt: Time,
});

export const HistoryQuery = Type.Object(page, closed);

export const HistoryView = Type.Object({
  items: Type.Array(HistoryItem, {
    description: 'the newest first; of the same moment, by fileId',
  }),
  ...pageView,
});

export const RoutedFileView = Type.Object({ ...HistoryItem.properties, routing: RoutingView });
