import {
  isAt,
  sameLocation,
  type Account,
  type FormerPlace,
} from '../../domain/accounts/account.ts';
import { INTERVALS } from '../../domain/common/intervals.ts';
import { addSeconds } from '../../domain/common/time.ts';
import { placesOf } from '../../domain/migrations/migration.ts';
import type { StoreLocation } from '../../domain/providers/catalogue.ts';
import type { Deps } from '../common/deps.ts';
import { isRole } from '../../domain/connections/connection.ts';

export type PlaceUseDeps = Deps<
  'files' | 'connections' | 'recommendations' | 'releases' | 'relocations' | 'drills'
>;

/** The former places of an account at which nothing is left. */
export async function findUnneeded(
  deps: PlaceUseDeps,
  account: Account,
  places: readonly FormerPlace[],
  now: Date,
): Promise<readonly FormerPlace[]> {
  const used = await usedPlaces(deps, account);
  const isNeeded = async ({ location, since }: FormerPlace): Promise<boolean> => {
    if (now < addSeconds(since, INTERVALS.placeKeptSeconds)) return true;
    if (isAt(account, location) || !account.providers[location.provider]) return false;
    if (used.some((place) => sameLocation(place, location))) return true;
    return await deps.files.isNeededAt(account.accountId, location);
  };
  const needed = await Promise.all(places.map(isNeeded));
  return places.filter((_place, at) => !needed[at]);
}

/**
 * The places whose credentials connections, running migrations, release checks, drills, and
 * relocations with their old objects use.
 */
export async function usedPlaces(
  { connections, recommendations, releases, relocations, drills }: PlaceUseDeps,
  account: Account,
): Promise<readonly StoreLocation[]> {
  const { accountId } = account;
  const [connected, running, checking, relocating, trying] = await Promise.all([
    connections.listConnections(accountId),
    recommendations.listRunning(accountId),
    releases.checking(accountId),
    relocations.listUnended(accountId),
    drills.listUnended(accountId),
  ]);
  const checked = await Promise.all(
    checking.map((migrationId) => recommendations.findApproved({ migrationId, accountId })),
  );
  const moves = [...running, ...checked.filter((move) => move !== undefined)];
  return [
    ...connected.flatMap((connection) => (isRole(connection) ? [] : connection.place)),
    ...relocating.flatMap(({ from, to }) => [from, to]),
    ...trying.flatMap(({ place, to }) => [place, to]),
    ...moves.flatMap(({ approval }) => Object.values(placesOf(account, approval))),
  ];
}
