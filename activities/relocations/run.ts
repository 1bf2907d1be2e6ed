import { isPlaceGone } from '../../adapters/object-store/account-stores.ts';
import type { ObjectStore } from '../../adapters/object-store/object-store.ts';
import type { Account } from '../../domain/accounts/account.ts';
import type { MigrationCounts } from '../../domain/migrations/counts.ts';
import type { ManifestPage } from '../../domain/migrations/manifest.ts';
import { MigrationStopError } from '../../domain/migrations/stop.ts';
import type { StoreLocation } from '../../domain/providers/catalogue.ts';
import type { RelocationRecord } from '../../domain/relocations/relocation.ts';
import type { MigrationContext } from '../contexts.ts';
import { openPageWriter, type PageWriter } from '../migrations/page-writer.ts';
import { classifyStoreError } from '../migrations/run.ts';
import type { OldObjectDeps } from './old-objects.ts';

/** A relocation with the stores of its places. */
export interface RelocationRun {
  readonly account: Account;
  readonly relocation: RelocationRecord;
  readonly source: ObjectStore;
  readonly target: ObjectStore;
}

/** The stores between which something is copied. @throws MigrationStop if a place is gone */
export async function openPlaces(
  { accounts, stores }: MigrationContext,
  { accountId, from, place = from, to }: RunPlaces,
): Promise<Pick<RelocationRun, 'account' | 'source' | 'target'>> {
  const account = await accounts.findAccount(accountId);
  if (!account) throw new MigrationStopError('internal_error', 'The account does not exist.');
  try {
    const source = await stores.at(account, from, place);
    return { account, source, target: await stores.at(account, to) };
  } catch (error) {
    if (isPlaceGone(error))
      throw new MigrationStopError('provider_not_configured', error.message, error);
    throw error;
  }
}

interface RunPlaces extends Pick<RelocationRecord, 'accountId' | 'from' | 'to'> {
  /** Whose credentials read the source; by default its own. */
  readonly place?: StoreLocation;
}

export async function openRun(
  context: MigrationContext,
  relocation: RelocationRecord,
): Promise<RelocationRun> {
  return { relocation, ...(await openPlaces(context, relocation)) };
}

/** A page of files, and the writer of its lines. */
export interface OpenedPage {
  readonly page: ManifestPage;
  readonly writer: PageWriter;
}

export async function openPage(
  context: MigrationContext,
  id: string,
  number: number,
): Promise<OpenedPage> {
  const page = await context.manifests.findPage(id, number);
  if (!page) throw new Error('there is no such page in the manifest');
  return { page, writer: await openPageWriter({ ...context, id, page: number }) };
}

/** When the first old object of the page is due. */
export async function saveDrain(
  { manifests }: MigrationContext,
  id: string,
  number: number,
  { lines }: PageWriter,
): Promise<void> {
  const times = [...lines.values()].flatMap(({ deleteAt }) => deleteAt ?? []).sort();
  const [first] = times;
  await manifests.saveDrain(id, number, first === undefined ? undefined : new Date(first));
}

export function oldObjectDeps(
  { files, now, slices }: MigrationContext,
  { account, relocation, target }: RelocationRun,
): OldObjectDeps {
  return { files, now, account, relocation, target, signal: slices.signal() };
}

export function classify(
  context: MigrationContext,
  { to }: Pick<RelocationRecord, 'to'>,
  error: unknown,
): unknown {
  return classifyStoreError(context, to.provider, error);
}

export function endOf({ failed }: MigrationCounts): 'completed' | 'completed_with_failures' {
  return failed > 0 ? 'completed_with_failures' : 'completed';
}
