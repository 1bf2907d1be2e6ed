import type { Tracing } from '../telemetry/tracing.ts';
import type { StoreHttp } from './http-messages.ts';

/**
 * One span per call to a store, until the head of the response. It has neither bucket nor key: a path
 * is a customer's data, and a query may be a signature.
 */
export function traceStoreHttp(http: StoreHttp, tracing: Pick<Tracing, 'run'>): StoreHttp {
  return (request, options) => {
    const { method, address } = request;
    const attributes = { 'http.request.method': method, 'store.provider': address.provider };
    const name = `${method} ${address.provider}`;
    return tracing.run({ name, kind: 'client', attributes }, async (span) => {
      const response = await http(request, options);
      span.set({ 'http.response.status_code': response.status });
      if (response.status >= 400) span.fail();
      return response;
    });
  };
}
