import type {
  ObjectDescription,
  ObjectStore,
  OpenedObject,
} from '../../adapters/object-store/object-store.ts';
import { sameLocation } from '../../domain/accounts/account.ts';
import { NO_USE, type DrillRecord, type DrillUse } from '../../domain/drills/drill.ts';
import { requireSheet } from '../../domain/pricing/price-book.ts';
import type { StoreLocation } from '../../domain/providers/catalogue.ts';
import type { MigrationContext } from '../contexts.ts';

/** The stores of a slice of a drill, and what is sent to them. */
export interface Meter {
  readonly stores: MigrationContext['stores'];
  readonly used: DrillUse;
}

export function createMeter(
  { stores, priceBook }: MigrationContext,
  { to }: Pick<DrillRecord, 'to'>,
): Meter {
  const used = { ...NO_USE };

  function meter(store: ObjectStore, place: StoreLocation): ObjectStore {
    const { provider, region } = place;
    const base = requireSheet(priceBook, provider, region, priceBook.baseClass(provider));
    const sheetOf = ({ storageClass = base.storageClass } = {}) =>
      priceBook.classSheet(provider, region, storageClass) ?? base;
    const bytes = sameLocation(place, to) ? 'bytesReadBack' : 'bytesRead';
    const count = (usd: number) => {
      used.requests += 1;
      used.usd += usd;
    };
    async function* read(opened: OpenedObject) {
      const { bytesPerGb, retrievalPerGb } = sheetOf(opened);
      for await (const piece of opened.body) {
        used[bytes] += piece.length;
        used.usd += (piece.length / bytesPerGb) * retrievalPerGb.value;
        yield piece;
      }
    }
    const billed =
      <Given extends unknown[], Answer>(usd: number, call: (...given: Given) => Answer) =>
      (...given: Given): Answer => {
        count(usd);
        return call(...given);
      };
    return {
      ...store,
      list: billed(base.list.value, store.list),
      uploads: billed(base.list.value, store.uploads),
      parts: billed(base.list.value, store.parts),
      versions: billed(base.list.value, store.versions),
      get: billed(base.get.value, store.get),
      write: billed(base.put.value, store.write),
      writePart: billed(base.put.value, store.writePart),
      beginUpload: billed(base.put.value, store.beginUpload),
      completeUpload: billed(base.put.value, store.completeUpload),
      delete: billed(0, store.delete),
      abortUpload: billed(0, store.abortUpload),
      async head(...given) {
        let found: ObjectDescription | undefined;
        try {
          found = await store.head(...given);
        } finally {
          count(sheetOf(found).get.value);
          // A GET has confirmed that there is none.
          if (!found) count(base.get.value);
        }
        return found;
      },
      async open(...given) {
        let opened: OpenedObject | undefined;
        try {
          opened = await store.open(...given);
        } finally {
          count(sheetOf(opened).get.value);
        }
        return { ...opened, body: read(opened) };
      },
    };
  }

  return {
    used,
    stores: {
      ...stores,
      at: async (account, location, place) =>
        meter(await stores.at(account, location, place), location),
    },
  };
}
