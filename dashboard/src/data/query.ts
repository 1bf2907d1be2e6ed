import type { StorageRoutingClient } from '@storage-routing/client';
import {
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
  type QueryKey,
} from '@tanstack/react-query';
import { useApi } from './api.ts';

type Read<Data> = (api: StorageRoutingClient, options: { signal: AbortSignal }) => Promise<Data>;

/** What does not change while the page is open. */
export const CONSTANT = { staleTime: Infinity, refetchInterval: false } as const;
/** The list shown stays while another one is loaded. */
export const KEEP_PREVIOUS = { placeholderData: keepPreviousData } as const;

/** Makes a query of a call. */
export function useQueryOf() {
  const call = useApi();
  return <Data>(queryKey: QueryKey, read: Read<Data>) =>
    queryOptions({ queryKey, queryFn: ({ signal }) => call((api) => read(api, { signal })) });
}

interface ChangeOptions<Result> {
  /** Fetched again when the call has succeeded. */
  readonly stale?: readonly QueryKey[];
  /** Fetched again also when the call has failed. */
  readonly staleAnyway?: readonly QueryKey[];
  readonly onSuccess?: (result: Result) => unknown;
  /** The result is a secret, which the cache does not keep. */
  readonly isSecret?: boolean;
}

/** A call that changes something. */
export function useChange<Result, Input = void>(
  work: (api: StorageRoutingClient, input: Input) => Promise<Result>,
  { stale = [], staleAnyway = [], onSuccess, isSecret = false }: ChangeOptions<Result> = {},
) {
  const call = useApi();
  const client = useQueryClient();
  const refetch = async (keys: readonly QueryKey[]): Promise<void> => {
    await Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })));
  };
  return useMutation({
    mutationFn: (input: Input) => call((api) => work(api, input)),
    onSuccess: async (result) => {
      await refetch(stale);
      await onSuccess?.(result);
    },
    onSettled: () => refetch(staleAnyway),
    ...(isSecret && { gcTime: 0 }),
  });
}
