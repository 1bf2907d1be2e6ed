/** Objects below another object's key, as `p/1/x` below `p/1`: file systems cannot hold both. */
export interface NestedKeys {
  readonly objects: number;
  /** One of them, and the key that it is below. */
  readonly below: string;
  readonly above: string;
}

/**
 * What a run of keys, in key order, shows of them. A key and those below it may be in two runs:
 * what begins a run is kept until the run before it is known.
 */
export interface Nesting {
  readonly first: string | null;
  /**
   * The keys that a later one may begin with, each the beginning of the next; the last is the
   * run's.
   */
  readonly open: readonly string[];
  /** Below a key of the run. */
  readonly found: NestedKeys | null;
  /** Below no key of the run, but below one that its first key begins with, if that exists. */
  readonly leading: readonly NestedKeys[];
}

interface NestedCount extends NestedKeys {
  objects: number;
}

export interface MutableNesting extends Nesting {
  first: string | null;
  readonly open: string[];
  found: NestedKeys | null;
  readonly leading: NestedCount[];
}

export function emptyNesting(): MutableNesting {
  return { first: null, open: [], found: null, leading: [] };
}

/** Adds the next key. @returns the longest key of the run that it is below, if any */
export function addKey(nesting: MutableNesting, key: string): string | undefined {
  nesting.first ??= detached(key);
  const { open } = nesting;
  closeBefore(open, key);
  // Most keys leave none open: this is done for each of a million objects.
  const above = open.length === 0 ? undefined : open.findLast((one) => key[one.length] === '/');
  open.push(key);
  if (above === undefined) countLeading(nesting, key);
  else nesting.found = addNested(nesting.found, oneNested(above, key));
  return above;
}

/** Appends the next run. @returns what of it is below keys of this one */
export function appendNesting(nesting: MutableNesting, next: Nesting): readonly NestedKeys[] {
  if (next.first === null) return [];
  const { open } = nesting;
  closeBefore(open, next.first);
  const crossing = next.leading.filter(({ above }) => open.includes(above));
  for (const each of outermost(crossing)) nesting.found = addNested(nesting.found, each);
  if (next.found) nesting.found = addNested(nesting.found, next.found);
  nesting.first ??= next.first;
  const { first } = nesting;
  for (const each of next.leading) {
    if (!first.startsWith(each.above) || first === each.above) continue;
    const covered = outermost(crossing.filter((one) => isBelow(one, each)));
    const objects = covered.reduce((left, one) => left - one.objects, each.objects);
    if (objects > 0) addLeading(nesting, { ...each, objects });
  }
  closeBefore(open, next.open.at(-1) ?? '');
  open.push(...next.open);
  return crossing;
}

/** Those whose key is below no other's: an object that is below several keys counts once. */
export function outermost(nested: readonly NestedKeys[]): readonly NestedKeys[] {
  return nested.filter((one) => !nested.some((other) => isBelow(one, other)));
}

function isBelow(one: NestedKeys, other: NestedKeys): boolean {
  return one.above.startsWith(`${other.above}/`);
}

/** Counts together, of which the first come first. */
export function addNested(sum: NestedKeys | null, more: NestedKeys): NestedKeys {
  return sum === null ? { ...more } : { ...sum, objects: sum.objects + more.objects };
}

export function oneNested(above: string, below: string): NestedKeys {
  return { objects: 1, above: detached(above), below: detached(below) };
}

function countLeading(nesting: MutableNesting, key: string): void {
  const { first, leading } = nesting;
  if (first === null) return;
  let shared = 0;
  while (shared < first.length && first.charCodeAt(shared) === key.charCodeAt(shared)) shared += 1;
  for (let end = key.indexOf('/'); end >= 0 && end <= shared; end = key.indexOf('/', end + 1)) {
    const group = leading.find(({ above }) => above.length === end);
    if (group) group.objects += 1;
    else if (first.length > end) leading.push(oneNested(key.slice(0, end), key));
  }
}

function addLeading({ leading }: MutableNesting, more: NestedKeys): void {
  const group = leading.find(({ above }) => above === more.above);
  if (group) group.objects += more.objects;
  else leading.push({ ...oneNested(more.above, more.below), objects: more.objects });
}

/** Removes the keys that this one does not begin with. */
function closeBefore(open: string[], key: string): void {
  for (let last = open.at(-1); last !== undefined; last = open.at(-1)) {
    if (key.startsWith(last)) return;
    open.pop();
  }
}

/** A copy: a slice of a listing's text would keep the whole page in memory. */
function detached(text: string): string {
  return Buffer.from(text).toString();
}
