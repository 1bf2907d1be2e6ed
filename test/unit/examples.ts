import { exampleOf as exampleOfRoute } from '../../api/http/examples.ts';
import { describeApi } from '../contract/described-api.ts';

const routes = new Map(describeApi().map((route) => [`${route.method} ${route.path}`, route]));

/** What the example of the description answers to a call, with some fields changed. */
export function exampleOf<Answer>(
  call: string,
  changes: { readonly [Field in keyof Answer]?: unknown } = {},
): Answer {
  const route = routes.get(call);
  const [reply] = route ? Object.values(exampleOfRoute(route).replies) : [];
  if (typeof reply !== 'object') throw new Error(`no example of ${call}`);
  return { ...reply, ...changes } as Answer;
}

/** The first item of the list that the example answers. */
export function itemOf<Item>(
  call: string,
  changes: { readonly [Field in keyof Item]?: unknown } = {},
): Item {
  const { items } = exampleOf<{ readonly items: readonly Item[] }>(call);
  return { ...items[0], ...changes } as Item;
}
