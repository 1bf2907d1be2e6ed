import { Type } from 'typebox';
import { closed, example, nullable, page, pageView, Provider, Time } from '../http/schemas.ts';
import {
  FileKey,
  FileName,
  FilePriority,
  FileSize,
  RoutingView,
  Saved,
  FileStatusView,
} from '../uploads/schemas.ts';

const Month = Type.String({ description: 'a UTC month', examples: ['2026-11'] });
const Gb = Type.Number({ description: 'bytes / 10^9, unrounded', examples: [0.000048213] });

const ByProvider = Type.Array(
  Type.Object({
    provider: example(Provider, 'r2'),
    files: example(Type.Integer({ description: 'completed uploads, also those deleted since' }), 1),
    gbRouted: Gb,
    savedVsAwsUsd: Saved,
  }),
  { description: 'those that something was routed to, in the order of the catalogue' },
);

const routed = {
  month: Month,
  uploads: example(Type.Integer({ description: 'completed uploads, also those deleted since' }), 1),
  gbRouted: Gb,
  savedVsAwsUsd: Saved,
};

export const SummaryView = Type.Object({
  files: Type.Object({
    pending: example(Type.Integer(), 0),
    active: example(Type.Integer(), 1),
    deleted: example(Type.Integer({ description: 'those whose delete is under way too' }), 0),
    expired: example(Type.Integer(), 0),
  }),
  gbRouted: Gb,
  savedVsAwsUsd: Saved,
  byProvider: ByProvider,
  currentMonth: Type.Object(routed),
});

export const MonthlyView = Type.Object({
  months: Type.Array(Type.Object({ ...routed, byProvider: ByProvider }), {
    description: 'the last 12 months, the oldest first, empty ones as zeros',
  }),
});

export const HistoryItem = Type.Object({
  fileId: FileKey,
  fileName: FileName,
  fileSizeBytes: FileSize,
  priority: FilePriority,
  provider: example(Provider, 'r2'),
  preferredProvider: example(Provider, 'r2'),
  status: FileStatusView,
  savedVsAwsUsd: Saved,
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
