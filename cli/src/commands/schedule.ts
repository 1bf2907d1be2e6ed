import type { Schedule } from '@storage-routing/client';
import { type Command, Option } from 'commander';
import { EXIT, type ExitCode, LocalError, wrongUsage } from '../io/failure.ts';
import { type Invocation, type Perform, subcommand, wholeNumber } from '../io/invocation.ts';
import { scheduleText } from '../present/schedule.ts';

const PERIODS = ['day', 'week', 'month'] as const satisfies readonly Schedule['every'][];

interface ScheduleOptions {
  every?: Schedule['every'];
  hour?: number;
  off?: boolean;
}

/** `srs schedule` */
export function addSchedule(parent: Command, perform: Perform): void {
  subcommand(parent, 'schedule', 'show, set or remove the schedule of a cloud account’s scans')
    .argument('<connectionId>')
    .addOption(new Option('--every <period>', 'how often, with --hour').choices(PERIODS))
    .option('--hour <hour>', 'the hour in UTC, 0 to 23', wholeNumber(0, 23))
    .option('--off', 'scan it only when asked')
    .action(perform(schedule));
}

async function schedule(
  call: Invocation,
  connectionId: string,
  { every, hour: hourUtc, off = false }: ScheduleOptions,
): Promise<ExitCode> {
  const isRule = every !== undefined && hourUtc !== undefined;
  const isPartOfRule = every !== undefined || hourUtc !== undefined;
  if (isPartOfRule && (off || !isRule)) {
    throw wrongUsage('--every and --hour together, or --off, or none of them to see the schedule');
  }
  const { scanner } = await call.client();
  const { signal } = call;
  let current: Schedule | null = null;
  if (isRule) current = await scanner.setSchedule(connectionId, { every, hourUtc }, { signal });
  else if (off) await scanner.removeSchedule(connectionId, { signal });
  else current = await findSchedule(call, connectionId);
  await call.print.result({ connectionId, schedule: current }, () => scheduleText(current));
  return EXIT.done;
}

/** The list of connections has the schedule of each. */
async function findSchedule(call: Invocation, connectionId: string): Promise<Schedule | null> {
  const { items } = await (await call.client()).scanner.connections({ signal: call.signal });
  const id = connectionId.toLowerCase();
  const connection = items.find((each) => each.connectionId === id);
  if (connection === undefined) {
    throw new LocalError(
      'connection_not_found',
      `no connection ${connectionId} (srs connections lists them)`,
    );
  }
  return connection.schedule;
}
