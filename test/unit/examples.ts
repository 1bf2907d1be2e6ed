import { EXAMPLES } from '../../api/routes.ts';

/** What the example of the description answers to a call, with some fields changed. */
export function exampleOf<Answer>(
  call: string,
  changes: { readonly [Field in keyof Answer]?: unknown } = {},
): Answer {
  const [reply] = Object.values(EXAMPLES[call]?.replies ?? {});
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
