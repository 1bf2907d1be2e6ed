import type { Collection, Db } from 'mongodb';
import {
  MAX_FORMER_PLACES,
  placeKey,
  sameLocation,
  type FormerPlace,
  type SealedText,
  type StoredProvider,
} from '../../../domain/accounts/account.ts';
import type { ProviderName, StoreLocation } from '../../../domain/providers/catalogue.ts';
import { INTERVALS } from '../../../domain/common/intervals.ts';
import { addSeconds } from '../../../domain/common/time.ts';
import { queueOf, type Due, type DueQueue } from '../common/due.ts';
import { insertIfNew, matches } from '../common/open.ts';

/** All of an account: an init, which reads the account alone, does not read them. */
interface FormerPlacesDocument {
  readonly _id: string;
  readonly items: readonly (FormerPlace & { readonly placeKey: string })[];
  /** When the sweep looks whether something still needs them. */
  readonly nextAttemptAt: Date;
}

type Fields = Readonly<Record<string, unknown>>;

/** An account with former places, as the sweep sees it. */
export interface DueFormerPlaces extends Due {
  readonly places: readonly FormerPlace[];
}

/** The places of providers that were replaced, with credentials, while they are needed. */
export class FormerPlaces {
  readonly #former: Collection<FormerPlacesDocument>;
  readonly due: DueQueue<DueFormerPlaces>;

  constructor(db: Db) {
    this.#former = db.collection('formerPlaces');
    this.due = queueOf(this.#former, {
      account: '_id',
      toWork: ({ items: places }) => ({ places }),
    });
  }

  async listFormerPlaces(accountId: string): Promise<readonly FormerPlace[]> {
    return (await this.#former.findOne({ _id: accountId }))?.items ?? [];
  }

  /** Undefined if it is not kept. */
  async findFormerPlace(
    accountId: string,
    location: StoreLocation,
  ): Promise<FormerPlace | undefined> {
    return (await this.listFormerPlaces(accountId)).find((place) =>
      sameLocation(place.location, location),
    );
  }

  /**
   * Keeps a place that is about to be replaced by the next one, or what is known of it anew; newer
   * credentials than these stay. False if as many others are kept as may be, of which the next one
   * is none.
   */
  async keep(accountId: string, place: FormerPlace, next: StoreLocation): Promise<boolean> {
    const item = { ...place, placeKey: placeKey(place.location) };
    const nextAttemptAt = addSeconds(place.since, INTERVALS.placeKeptSeconds);
    const isOlder = { updatedAt: { $lte: place.updatedAt } };
    const anew = async () => {
      const since = { 'items.$[item].since': place.since, nextAttemptAt };
      if (!(await this.#setItem(accountId, place.location, since))) return false;
      await this.#setItem(accountId, place.location, { 'items.$[item]': item }, isOlder);
      return true;
    };
    const add = async (where: Fields, options?: { readonly upsert: true }) => {
      const change = { $push: { items: item }, $set: { nextAttemptAt } };
      const others = { ...where, _id: accountId, $nor: [{ 'items.placeKey': item.placeKey }] };
      return await this.#former.updateOne(others, change, options);
    };
    // A document that is there and does not match cannot be inserted: it has the place by now, or
    // is full.
    const keep = async () =>
      (await anew()) || (await insertIfNew(() => add(below(MAX_FORMER_PLACES), { upsert: true })));
    if ((await keep()) || (await keep())) return true;
    const inItsPlace = { ...below(MAX_FORMER_PLACES + 1), 'items.placeKey': placeKey(next) };
    return await matches(add(inItsPlace));
  }

  /** Replaces the credentials of a place. False if it is not kept. */
  replaceCredentials(
    accountId: string,
    {
      location,
      credentials,
      accessKeyIdMasked,
      updatedAt,
    }: Pick<StoredProvider, 'location' | 'credentials' | 'accessKeyIdMasked' | 'updatedAt'>,
  ): Promise<boolean> {
    return this.#setItem(accountId, location, {
      'items.$[item].credentials': credentials,
      'items.$[item].accessKeyIdMasked': accessKeyIdMasked,
      'items.$[item].updatedAt': updatedAt,
    });
  }

  /** Forgets places, unless they were kept anew or have other credentials since they were read. */
  async forget(accountId: string, places: readonly FormerPlace[]): Promise<void> {
    for (const { location, since, credentials } of places)
      await this.#former.updateOne(
        { _id: accountId },
        {
          $pull: {
            items: {
              placeKey: placeKey(location),
              since,
              'credentials.ciphertext': credentials.ciphertext,
            } as object,
          },
        },
      );
    await this.#former.deleteOne({ _id: accountId, items: { $size: 0 } });
  }

  async forgetAll(accountId: string, provider: ProviderName): Promise<void> {
    await this.#former.updateOne(
      { _id: accountId },
      { $pull: { items: { 'location.provider': provider } as object } },
    );
    await this.#former.deleteOne({ _id: accountId, items: { $size: 0 } });
  }

  /** Every account's, for a change of the keys that seal. */
  async *all(): AsyncIterable<{
    readonly accountId: string;
    readonly places: readonly FormerPlace[];
  }> {
    for await (const { _id: accountId, items: places } of this.#former.find())
      yield { accountId, places };
  }

  /** Replaces sealed credentials by the same under another key; false if they have changed. */
  reseal(
    accountId: string,
    location: StoreLocation,
    from: SealedText,
    to: SealedText,
  ): Promise<boolean> {
    return this.#setItem(
      accountId,
      location,
      { 'items.$[item].credentials': to },
      { 'credentials.ciphertext': from.ciphertext, 'credentials.nonce': from.nonce },
    );
  }

  async #setItem(
    accountId: string,
    location: StoreLocation,
    set: Fields,
    where: Fields = {},
  ): Promise<boolean> {
    const id = placeKey(location);
    return await matches(
      this.#former.updateOne(
        { _id: accountId, items: { $elemMatch: { placeKey: id, ...where } } },
        { $set: set },
        { arrayFilters: [{ 'item.placeKey': id }] },
      ),
    );
  }
}

/** The documents that keep fewer places. */
function below(count: number): Fields {
  return { [`items.${count - 1}`]: { $exists: false } };
}
