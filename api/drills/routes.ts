import type { DrillSchedule } from '../../domain/drills/schedule.ts';
import { describeDrill, readCertificate } from '../../domain/drills/certificate.ts';
import {
  cancelDrill,
  estimateDrillOf,
  getCertificate,
  getDrill,
  listDrills,
  startDrill,
  type DrillSnapshot,
} from '../../operations/drills/drills.ts';
import {
  getDrillSchedule,
  removeDrillSchedule,
  setDrillSchedule,
  type DrillScheduleDeps,
} from '../../operations/drills/schedules.ts';
import { certificatePage } from '../../report/drill-certificate.ts';
import { toHtml } from '../../report/html.ts';
import { defineRoute, toView, type Route, type View } from '../http/route.ts';
import { Empty, NoContent } from '../http/schemas.ts';
import {
  CertificateView,
  DrillEstimateView,
  DrillId,
  DrillRequest,
  DrillScheduleRequest,
  DrillScheduleView,
  DrillsPage,
  DrillsQuery,
  DrillView,
} from './schemas.ts';

function presentDrill({ drill, results }: DrillSnapshot): View<typeof DrillView> {
  const { certificateSha256 } = drill;
  return toView(DrillView, { ...describeDrill(drill, results), certificateSha256 });
}

function presentSchedule(schedule: DrillSchedule): View<typeof DrillScheduleView> {
  const { last } = schedule;
  return toView(DrillScheduleView, {
    ...schedule,
    last: last && { ...last, at: last.at.toISOString() },
  });
}

export function createDrillRoutes(deps: DrillScheduleDeps): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/v1/drills',
      auth: 'dashboard',
      summary: 'Try an exit: copy a sample to another store, read it back, remove it',
      description:
        'A stratified random sample of the files of a place, or of a bucket of a connection, is copied below `drill/<drillId>/` at the target, read back there and compared by SHA-256; then the copies are removed. With `dryRun`, 200 with the estimate alone. One drill of a place runs at a time.',
      body: DrillRequest,
      replies: { 200: DrillEstimateView, 202: DrillView },
      refusals: [
        'connection_not_found',
        'drill_running',
        'plan_limit',
        'provider_not_configured',
        'provider_not_usable',
        'quote_exceeded',
      ],
      mayTakeLong: () => true,
      async handle({ account, actor, body: { dryRun, ...request } }) {
        if (dryRun) return { status: 200, body: await estimateDrillOf(deps, account, request) };
        return { status: 202, body: presentDrill(await startDrill(deps, account, actor, request)) };
      },
    }),

    defineRoute({
      method: 'GET',
      path: '/v1/drills',
      auth: 'dashboard',
      summary: 'The exit drills of the account, the newest first',
      description: 'A page of exit drills.',
      query: DrillsQuery,
      replies: { 200: DrillsPage },
      refusals: [],
      async handle({ account, query }) {
        const { items, total } = await listDrills(deps, account, query);
        return { status: 200, body: { items: items.map(presentDrill), total, ...query } };
      },
    }),

    defineRoute({
      method: 'PUT',
      path: '/v1/drills/schedule',
      auth: 'dashboard',
      summary: 'Try an exit every month or quarter',
      description:
        'Drills start automatically within two minutes of `nextAt`, at the given hour (UTC), on a day from the 6th to the 28th that is fixed for each account. `maxTotalUsd` holds for each of them. Runs missed while the service was down are made up for by one drill. `last` contains the outcome of the latest run.',
      body: DrillScheduleRequest,
      replies: { 200: DrillScheduleView },
      refusals: ['connection_not_found', 'provider_not_configured', 'quote_exceeded'],
      mayTakeLong: () => true,
      async handle({ account, actor, body }) {
        const schedule = await setDrillSchedule(deps, account, actor, body);
        return { status: 200, body: presentSchedule(schedule) };
      },
    }),

    defineRoute({
      method: 'GET',
      path: '/v1/drills/schedule',
      auth: 'dashboard',
      summary: 'When exit drills start by themselves',
      description: 'Answers `not_found` without a schedule.',
      replies: { 200: DrillScheduleView },
      refusals: ['not_found'],
      async handle({ account }) {
        return { status: 200, body: presentSchedule(await getDrillSchedule(deps, account)) };
      },
    }),

    defineRoute({
      method: 'DELETE',
      path: '/v1/drills/schedule',
      auth: 'dashboard',
      summary: 'Stop the automatic exit drills',
      description: 'A drill that runs goes on. No effect without a schedule.',
      replies: { 204: NoContent },
      refusals: [],
      async handle({ actor }) {
        await removeDrillSchedule(deps, actor);
        return { status: 204 };
      },
    }),

    defineRoute({
      method: 'GET',
      path: '/v1/drills/{drillId}',
      auth: 'dashboard',
      summary: 'Watch an exit drill while it runs, and read what came of it',
      description: '`removing`: what it has written at the target is deleted.',
      params: DrillId,
      replies: { 200: DrillView },
      refusals: ['drill_not_found'],
      async handle({ account, params: { drillId } }) {
        return { status: 200, body: presentDrill(await getDrill(deps, account, drillId)) };
      },
    }),

    defineRoute({
      method: 'POST',
      path: '/v1/drills/{drillId}/cancel',
      auth: 'dashboard',
      summary: 'Go no further; what is copied is removed',
      description: 'Once the copies are being removed, the call changes nothing.',
      params: DrillId,
      body: Empty,
      replies: { 202: DrillView },
      refusals: ['drill_not_found'],
      async handle({ account, actor, params: { drillId } }) {
        const cancelled = await cancelDrill(deps, account, actor, drillId);
        return { status: 202, body: presentDrill(cancelled) };
      },
    }),

    defineRoute({
      method: 'GET',
      path: '/v1/drills/{drillId}/certificate',
      auth: 'dashboard',
      summary: 'What an exit drill has proven, and what it has not tried',
      description:
        'JSON, whose SHA-256 is `certificateSha256`; `text/html` if `Accept` asks for it: one file, printable.',
      params: DrillId,
      media: 'application/json',
      otherMedia: ['text/html'],
      replies: { 200: CertificateView },
      refusals: ['drill_not_found', 'drill_running'],
      mayTakeLong: () => true,
      async handle({ account, media, params: { drillId } }) {
        const { json, sha256 } = await getCertificate(deps, account, drillId);
        const text =
          media === 'text/html' ? toHtml(certificatePage(readCertificate(json), sha256)) : json;
        return { status: 200, body: Buffer.from(text) };
      },
    }),
  ];
}
