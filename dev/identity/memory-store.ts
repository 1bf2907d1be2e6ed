import type { Adapter, AdapterPayload } from 'oidc-provider';

/** What the provider stores, by model and id. Lost with the process. */
export interface MemoryStores {
  of(model: string): Adapter;
  /** Removes the state of a login: sessions, grants, codes and refresh tokens. */
  clear(): void;
}

export function createMemoryStores(): MemoryStores {
  const models = new Map<string, Map<string, AdapterPayload>>();
  const findRows = (model: string) => {
    const rows = models.get(model) ?? new Map<string, AdapterPayload>();
    models.set(model, rows);
    return rows;
  };
  return {
    clear: () => models.clear(),
    of: (model) => ({
      upsert: async (id, payload) => void findRows(model).set(id, payload),
      find: async (id) => findRows(model).get(id),
      findByUid: async (uid) => [...findRows(model).values()].find((row) => row.uid === uid),
      findByUserCode: async (userCode) =>
        [...findRows(model).values()].find((row) => row.userCode === userCode),
      consume: async (id) => {
        const row = findRows(model).get(id);
        if (row) row['consumed'] = Math.floor(Date.now() / 1000);
      },
      destroy: async (id) => void findRows(model).delete(id),
      revokeByGrantId: async (grantId) => {
        for (const [id, row] of findRows(model))
          if (row.grantId === grantId) findRows(model).delete(id);
      },
    }),
  };
}
