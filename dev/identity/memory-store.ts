import type { Adapter, AdapterPayload } from 'oidc-provider';

/** What the provider stores, by model and id. Lost with the process. */
export interface MemoryStores {
  of(model: string): Adapter;
  /** Removes what lets a user stay logged in: sessions, grants, codes and refresh tokens. */
  clear(): void;
}

export function createMemoryStores(): MemoryStores {
  const models = new Map<string, Map<string, AdapterPayload>>();
  const rowsOf = (model: string) => {
    const rows = models.get(model) ?? new Map<string, AdapterPayload>();
    models.set(model, rows);
    return rows;
  };
  return {
    clear: () => models.clear(),
    of: (model) => ({
      upsert: async (id, payload) => void rowsOf(model).set(id, payload),
      find: async (id) => rowsOf(model).get(id),
      findByUid: async (uid) => [...rowsOf(model).values()].find((row) => row.uid === uid),
      findByUserCode: async (userCode) =>
        [...rowsOf(model).values()].find((row) => row.userCode === userCode),
      consume: async (id) => {
        const row = rowsOf(model).get(id);
        if (row) row['consumed'] = Math.floor(Date.now() / 1000);
      },
      destroy: async (id) => void rowsOf(model).delete(id),
      revokeByGrantId: async (grantId) => {
        for (const [id, row] of rowsOf(model))
          if (row.grantId === grantId) rowsOf(model).delete(id);
      },
    }),
  };
}
