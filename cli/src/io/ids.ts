import type { Command } from 'commander';
import { wrongUsage } from './failure.ts';

/** An id of the service. */
export const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** The command that lists the ids of each kind. */
const LISTED_BY: Readonly<Record<string, string>> = {
  file: 'srs history uploads',
  connection: 'srs connections',
  scan: 'srs history',
  recommendation: 'srs recommendations',
  migration: 'srs migrations',
  relocation: 'srs relocations',
  drill: 'srs drills',
  webhook: 'srs webhooks',
};

/** Checks the arguments and options of a command that are named `<fileId>`, `<scanId>` etc. */
export function checkIds(command: Command): void {
  for (const argument of command.registeredArguments) {
    const what = idKind(argument.name());
    if (what === undefined) continue;
    if (argument.variadic) argument.argParser(createCollector(what));
    else argument.argParser(createChecker(what));
  }
  for (const option of command.options) {
    const what = idKind(/<(\w+)(?:\.{3})?>/.exec(option.flags)?.[1] ?? '');
    if (what === undefined) continue;
    if (option.variadic) option.argParser(createCollector(what));
    else option.argParser(createChecker(what));
  }
}

function createCollector(what: string) {
  const check = createChecker(what);
  return (text: string, previous: string[] | undefined): string[] => [
    ...(previous ?? []),
    check(text),
  ];
}

function idKind(name: string): string | undefined {
  const kind = /^(\w+)Id$/.exec(name)?.[1];
  return kind !== undefined && kind in LISTED_BY ? kind : undefined;
}

/** @throws LocalError `wrong_usage` for a text that is no id. */
function createChecker(what: string): (text: string) => string {
  return (text) => {
    if (UUID.test(text)) return text;
    throw wrongUsage(`${text} is not a ${what} id (${LISTED_BY[what]} lists them)`);
  };
}
