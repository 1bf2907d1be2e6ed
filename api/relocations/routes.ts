import { Readable } from 'node:stream';
import {
  cancelRelocation,
  estimate,
  getRelocation,
  listRelocations,
  readRelocationReport,
  startRelocation,
  type RelocationDeps,
} from '../../operations/relocations/relocations.ts';
import { defineRoute, ONE_AT_A_TIME, type Route } from '../http/route.ts';
import { Empty } from '../http/schemas.ts';
import { presentRelocation, presentRelocationReport } from './present.ts';
import {
  EstimateView,
  RelocationId,
  RelocationReportLine,
  RelocationRequest,
  RelocationsPage,
  RelocationsQuery,
  RelocationView,
} from './schemas.ts';

export function createRelocationRoutes(deps: RelocationDeps): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/v1/relocations',
      auth: 'dashboard',
      summary: 'Move the files of a current or former place to another one: no link breaks',
      description:
        'Each file is copied with proof, then one write moves it: from then on `GET /v1/file` answers the new place. The old object is deleted once no URL to it can be alive. With `dryRun`, 200 with the estimate alone. One relocation of a place runs at a time.',
      body: RelocationRequest,
      replies: { 200: EstimateView, 202: RelocationView },
      refusals: [
        'relocation_running',
        'plan_limit',
        'provider_not_configured',
        'provider_not_usable',
        'quote_exceeded',
      ],
      mayTakeLong: () => true,
      async handle({ account, actor, body: { dryRun, ...request } }) {
        if (dryRun) return { status: 200, body: await estimate(deps, account, request) };
        const started = await startRelocation(deps, account, actor, request);
        return { status: 202, body: presentRelocation(started) };
      },
    }),

    defineRoute({
      method: 'GET',
      path: '/v1/relocations',
      auth: 'dashboard',
      summary: 'The relocations of the account, the newest first',
      description: 'A page of relocations.',
      query: RelocationsQuery,
      replies: { 200: RelocationsPage },
      refusals: [],
      async handle({ account, query }) {
        const { items, total } = await listRelocations(deps, account, query);
        return { status: 200, body: { items: items.map(presentRelocation), total, ...query } };
      },
    }),

    defineRoute({
      method: 'GET',
      path: '/v1/relocations/{relocationId}',
      auth: 'dashboard',
      summary: 'Watch a relocation while it runs, and read what came of it',
      description:
        '`draining`: every file is moved, and old objects wait until no URL to them can be alive.',
      params: RelocationId,
      replies: { 200: RelocationView },
      refusals: ['relocation_not_found'],
      async handle({ account, params: { relocationId } }) {
        const snapshot = await getRelocation(deps, account, relocationId);
        return { status: 200, body: presentRelocation(snapshot) };
      },
    }),

    defineRoute({
      method: 'POST',
      path: '/v1/relocations/{relocationId}/cancel',
      auth: 'dashboard',
      summary: 'Move no further file; what is moved stays',
      description:
        'A file is moved or it is not. The old objects of moved files are deleted all the same, once no URL to them can be alive. After the copying the call changes nothing.',
      params: RelocationId,
      body: Empty,
      replies: { 202: RelocationView },
      refusals: ['relocation_not_found'],
      async handle({ account, actor, params: { relocationId } }) {
        const snapshot = await cancelRelocation(deps, account, actor, relocationId);
        return { status: 202, body: presentRelocation(snapshot) };
      },
    }),

    defineRoute({
      method: 'GET',
      path: '/v1/relocations/{relocationId}/report',
      auth: 'dashboard',
      summary: 'The report of a relocation: a line for each file, and a last line with the sum',
      description: 'NDJSON of any length: size, SHA-256, places and outcome of each file.',
      params: RelocationId,
      media: 'application/x-ndjson',
      replies: { 200: RelocationReportLine },
      refusals: ['relocation_not_found'],
      async handle({ account, params: { relocationId } }) {
        const snapshot = await getRelocation(deps, account, relocationId);
        const pages = readRelocationReport(deps, snapshot.relocation);
        const lines = presentRelocationReport(snapshot, pages);
        return { status: 200, body: Readable.from(lines, ONE_AT_A_TIME) };
      },
    }),
  ];
}
