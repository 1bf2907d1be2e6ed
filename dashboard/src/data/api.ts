import {
  createClient,
  StorageRoutingError,
  type StorageRoutingClient,
} from '@storage-routing/client';
import { createContext, use } from 'react';
import type { Session } from '../session/session.ts';

/** Calls the API as the user who is logged in. */
export type CallApi = <T>(work: (client: StorageRoutingClient) => Promise<T>) => Promise<T>;

/**
 * Waits for a token before each call, without a limit, because the user may have to log in again. A
 * call that the API refuses for its token is repeated once with another one.
 */
export function createCallApi(session: Session, baseUrl: string): CallApi {
  const client = createClient({
    baseUrl,
    dashboardToken: () => session.token(),
    // The queries repeat, and show that they wait.
    maxRetries: 0,
  });
  return async (work) => {
    const token = await session.token();
    try {
      return await work(client);
    } catch (error) {
      if (!(error instanceof StorageRoutingError) || error.status !== 401) throw error;
      session.refuse(token);
      await session.token();
      return await work(client);
    }
  };
}

export const ApiContext = createContext<CallApi | undefined>(undefined);

/** @throws Error outside of an `ApiContext` */
export function useApi(): CallApi {
  const call = use(ApiContext);
  if (!call) throw new Error('there is no API here');
  return call;
}
