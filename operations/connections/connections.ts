import { randomUUID } from 'node:crypto';
import { StoreError } from '../../adapters/object-store/errors.ts';
import { withRoleErrors } from '../../adapters/cloud-account/role-errors.ts';
import { describeActivity, type Actor } from '../../domain/accounts/activity.ts';
import { AppError, invalidField } from '../../domain/common/errors.ts';
import { requireProvider, type Account } from '../../domain/accounts/account.ts';
import {
  AWS,
  requireKnown,
  type ProviderName,
  type StoreLocation,
} from '../../domain/providers/catalogue.ts';
import {
  accountOfRole,
  isRole,
  MIN_EXTERNAL_ID_CHARACTERS,
  storeOwner,
  type Connection,
  type ExternalIdRule,
  type RoleOpening,
  type StoreConnection,
} from '../../domain/connections/connection.ts';
import { findConnection, openSource, withSourceErrors, type SourceDeps } from './source.ts';
import type { CustomerRole } from '../../adapters/cloud-account/roles.ts';
import type { Deps } from '../common/deps.ts';
import { isIdle } from './idle.ts';

export type ServiceIdentityDeps = Deps<'readServiceAccount' | 'connectTemplateUrl'>;

/** What a customer needs to make a role for the service. */
export interface ServiceIdentity {
  /** The account that the role's trust policy names. */
  readonly awsAccountId: string;
  readonly templateUrl: string | undefined;
}

/** @throws AppError `provider_error` */
export async function findServiceIdentity({
  readServiceAccount,
  connectTemplateUrl,
}: ServiceIdentityDeps): Promise<ServiceIdentity> {
  const awsAccountId = await withRoleErrors(readServiceAccount);
  return { awsAccountId, templateUrl: connectTemplateUrl };
}

export type ConnectionDeps = SourceDeps &
  Deps<'catalogue' | 'priceBook' | 'connections' | 'roleAttempts' | 'scanUsage' | 'scans'> &
  Deps<'recommendations' | 'scanCommands' | 'migrationCommands' | 'readServiceAccount'> &
  Deps<'externalIds' | 'ownAccountRoles' | 'activities' | 'now' | 'onBackgroundError'>;

export interface RoleRequest {
  readonly roleArn: string;
  readonly externalId: string;
  readonly regions: string[];
}

export interface StoreRequest {
  readonly provider: ProviderName;
  readonly buckets?: string[] | null;
}

const OPENINGS: Readonly<Record<RoleOpening, string>> = {
  none: 'without an external id',
  random: 'with a random one',
  longer: 'with yours and a character more, as by StringLike and a wildcard',
};
const CONDITION = '"Condition": { "StringEquals": { "sts:ExternalId": "<your external id>" } }';

const OWN_ACCOUNT =
  "The role belongs to the service's own AWS account, whose roles are not connected, unless the operator of " +
  'the service sets SCANNER_OWN_ACCOUNT=allow.';

const TRIED =
  'This role was tried too often without success. Check its trust policy and the external id, and wait.';

/**
 * Connects a cloud account: checks that the role requires its external id, assumes it, and lists
 * its buckets. An account may try a role that is not connected a few times, then ever more rarely.
 *
 * @throws AppError `invalid_request`, `role_already_connected`, `rate_limited`,
 * `role_not_assumable`, `provider_error`
 */
export async function connectRole(
  deps: ConnectionDeps,
  actor: Actor,
  { roleArn, externalId, regions }: RoleRequest,
): Promise<Connection> {
  const { connections, cloudAccounts, roleAttempts, activities, now } = deps;
  const { accountId } = actor;
  const connected = await connections.findBySubject(roleArn);
  const own = connected?.accountId === accountId ? connected : undefined;
  requireLongId(externalId, own);
  if (connected && !own) throw new AppError('role_already_connected');
  const rule = await ruleFor(deps, roleArn);
  const attempt = { accountId, roleArn };
  if (!own && !(await roleAttempts.begin(attempt, now())))
    throw new AppError('rate_limited', TRIED);
  const role = { roleArn, externalId };
  const openRole = await checkExternalId(deps, rule, role);
  const buckets = await withRoleErrors(() => cloudAccounts.listBuckets(role));
  await roleAttempts.clear(attempt);
  const bucketCount = buckets.filter(({ region }) => regions.includes(region)).length;
  const warnings = [...openRole, ...regionWarnings(deps, regions, buckets)];
  const createdAt = now();
  const kept = await connections.saveConnection(
    {
      connectionId: randomUUID(),
      accountId,
      provider: AWS,
      ...role,
      regions,
      bucketCount,
      warnings,
      createdAt,
    },
    (connectionId) => describeActivity(actor, 'connection.saved', connectionId, createdAt),
  );
  if (kept.accountId !== accountId) throw new AppError('role_already_connected');
  await activities.publish('connections', kept.connectionId).catch(deps.onBackgroundError);
  return kept;
}

/**
 * Connects a store by the credentials that are kept for it: lists its buckets, or reads in one of
 * them. The connection stays at this place where the provider gets another one, until it is
 * connected again.
 *
 * @throws AppError `invalid_request`, `provider_not_configured`, `provider_error`
 */
export async function connectStore(
  deps: ConnectionDeps,
  actor: Actor,
  account: Account,
  { provider, buckets = null }: StoreRequest,
): Promise<Connection> {
  const { accountId } = account;
  requireKnown(deps.catalogue, provider);
  if (provider === AWS)
    throw invalidField('/provider', 'must be another store: AWS is read by a role');
  const { location } = requireProvider(account, provider);
  const createdAt = deps.now();
  const connection: StoreConnection = {
    connectionId: randomUUID(),
    accountId,
    provider,
    owner: storeOwner(location),
    place: location,
    buckets,
    bucketCount: 0,
    warnings: [],
    createdAt,
  };
  const bucketCount = await countReadable(deps, connection, location);
  const warnings = await bucketWarnings(deps, connection, location);
  const kept = await deps.connections.saveConnection(
    { ...connection, bucketCount, warnings },
    (id) => describeActivity(actor, 'connection.saved', id, createdAt),
  );
  await deps.activities.publish('connections', kept.connectionId).catch(deps.onBackgroundError);
  return kept;
}

/** Who may list none must read the provider's own. @throws AppError `provider_error` */
async function countReadable(
  deps: ConnectionDeps,
  connection: StoreConnection,
  { bucketName: name, region }: StoreLocation,
): Promise<number> {
  const source = await openSource(deps, connection, () => undefined);
  return await withSourceErrors(deps, connection, async () => {
    const listed = await source.listBuckets();
    try {
      await source.bucket({ name, region }).listObjects({ after: null });
    } catch (error) {
      // The scan says so of the bucket.
      if (!(error instanceof StoreError) || error.failure !== 'unsorted') throw error;
    }
    return listed.length;
  });
}

/** Buckets that are tried when a store is connected, and how many at a time. */
const MAX_TRIED = 100;
const TRIED_AT_ONCE = 10;

/** The named buckets that can neither be listed nor read. @throws AppError `provider_error` */
async function bucketWarnings(
  deps: ConnectionDeps,
  connection: StoreConnection,
  { region }: StoreLocation,
): Promise<string[]> {
  if (connection.buckets === null) return [];
  const source = await openSource(deps, { ...connection, buckets: null }, () => undefined);
  const listed = await withSourceErrors(deps, connection, () => source.listBuckets());
  const names = new Set(listed.map(({ name }) => name));
  const others = connection.buckets.filter((name) => !names.has(name)).slice(0, MAX_TRIED);
  const tryBucket = async (name: string): Promise<string[]> => {
    try {
      await source.bucket({ name, region }).listObjects({ after: null });
      return [];
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      // The scan says so of the bucket.
      return error.failure === 'unsorted' ? [] : [`${name} cannot be read: ${error.message}.`];
    }
  };
  const warnings: string[] = [];
  for (let at = 0; at < others.length; at += TRIED_AT_ONCE)
    warnings.push(
      ...(await Promise.all(others.slice(at, at + TRIED_AT_ONCE).map(tryBucket))).flat(),
    );
  return warnings;
}

/**
 * Removes a connection, which frees its role for other accounts. Its open recommendations are
 * superseded first, because they can no longer be checked. Running migrations continue.
 *
 * @throws AppError `connection_not_found`, `scan_already_running`
 */
export async function removeConnection(
  deps: ConnectionDeps,
  actor: Actor,
  connectionId: string,
): Promise<void> {
  const { accountId } = actor;
  const key = { connectionId, accountId };
  await findConnection(deps, key);
  if (!(await isIdle(deps, key))) throw new AppError('scan_already_running');
  await deps.recommendations.supersedeAll(connectionId, deps.now());
  await dismissSuperseded(deps, accountId);
  const activity = describeActivity(actor, 'connection.deleted', connectionId, deps.now());
  await deps.connections.noteRemoval(key, activity);
  await deps.activities.publish('connections', connectionId);
  await deps.scanUsage.removeOf(connectionId);
  await deps.connections.removeConnection(key);
}

/** The workflows that wait for an approval of them end. */
async function dismissSuperseded(
  { recommendations, migrationCommands }: ConnectionDeps,
  accountId: string,
): Promise<void> {
  for await (const superseded of recommendations.supersededWithWorkflow(accountId)) {
    await migrationCommands.dismiss(superseded);
    await recommendations.clearHasWorkflow(superseded.recommendationId);
  }
}

const STAND_IN = 'those of other regions stand for them, and each result says so.';

function regionWarnings(
  { priceBook }: ConnectionDeps,
  regions: readonly string[],
  buckets: readonly { readonly region: string }[],
): string[] {
  const held = new Set(buckets.map(({ region }) => region));
  return regions.flatMap((region) => {
    const isPriced = priceBook.hasRegion(AWS, region);
    if (!isPriced) return [`The price book has no prices of ${region}: ${STAND_IN}`];
    return held.has(region) ? [] : [`No bucket of the account is in ${region}.`];
  });
}

/** A connection that has a shorter one keeps it. @throws AppError `invalid_request` */
function requireLongId(externalId: string, own: Connection | undefined): void {
  const isKept = own !== undefined && isRole(own) && own.externalId === externalId;
  if (isKept || externalId.length >= MIN_EXTERNAL_ID_CHARACTERS) return;
  const message = `must have at least ${MIN_EXTERNAL_ID_CHARACTERS} characters`;
  throw invalidField('/externalId', message);
}

/**
 * How the external id of a role is demanded. Roles of the service's own account trust it for
 * reasons of their owner, not of a customer.
 *
 * @throws AppError `role_not_assumable`, `provider_error`
 */
async function ruleFor(
  { readServiceAccount, externalIds, ownAccountRoles }: ConnectionDeps,
  roleArn: string,
): Promise<ExternalIdRule> {
  if ((await withRoleErrors(readServiceAccount)) !== accountOfRole(roleArn)) return externalIds;
  if (ownAccountRoles === 'refuse') throw new AppError('role_not_assumable', OWN_ACCOUNT);
  return 'enforce';
}

/** A role that can be assumed without its external id proves nothing about ownership. */
async function checkExternalId(
  { cloudAccounts }: ConnectionDeps,
  rule: ExternalIdRule,
  role: Required<CustomerRole>,
): Promise<string[]> {
  const openings = await withRoleErrors(() => cloudAccounts.findOpenings(role));
  if (openings.length === 0) return [];
  const ways = openings.map((opening) => OPENINGS[opening]).join(', and ');
  const message = `Callers without the external id can assume this role: it can be assumed ${ways}. Add to its trust policy: ${CONDITION}`;
  if (rule === 'enforce') throw new AppError('role_not_assumable', message);
  return [message];
}
