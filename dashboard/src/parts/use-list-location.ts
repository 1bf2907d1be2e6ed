import { useSearchParams } from 'wouter';

interface ListLocation {
  readonly offset: number;
  setOffset(offset: number): void;
  filter(name: string): string | null;
  /** Null removes it. The list begins anew. */
  setFilter(name: string, value: string | null): void;
}

const OFFSET = 'offset';

/** The filters and the page of a list, which are in the address. */
export function useListLocation(): ListLocation {
  const [parameters, setParameters] = useSearchParams();
  const offset = Number(parameters.get(OFFSET));
  const set = (changes: Readonly<Record<string, string | null>>) =>
    setParameters((before) => {
      const after = new URLSearchParams(before);
      for (const [name, value] of Object.entries(changes))
        if (value === null) after.delete(name);
        else after.set(name, value);
      return after;
    });
  return {
    offset: Number.isSafeInteger(offset) && offset > 0 ? offset : 0,
    setOffset: (next) => set({ [OFFSET]: next === 0 ? null : String(next) }),
    filter: (name) => parameters.get(name),
    setFilter: (name, value) => set({ [name]: value, [OFFSET]: null }),
  };
}
