import { hash } from 'node:crypto';
import { sumBy } from '../common/sums.ts';
import { AGE_BANDS, MAX_PREFIXES, REST_PREFIX, SIZE_BANDS } from '../inventory/bands.ts';
import { createAgeBands, sizeBandIndex, type AgeBandOf } from '../inventory/classify.ts';
import { compareKeys } from '../inventory/key-order.ts';
import type { ManifestEntry } from '../migrations/object-ledger.ts';

/** Some objects of one size band, one age band and one group. */
export interface Stratum {
  readonly what: string;
  readonly files: number;
  readonly bytes: number;
  /** Those that it stands for. */
  readonly ofFiles: number;
  readonly ofBytes: number;
}

export interface Sample {
  /** In the order of their keys. */
  readonly entries: readonly ManifestEntry[];
  readonly strata: readonly Stratum[];
  /** Objects that are always tried, for which it has no room. */
  readonly withoutRoom: number;
}

interface Hashed {
  readonly hash: number;
  readonly entry: ManifestEntry;
  readonly stratum: Population;
}

/** All objects of a stratum, and those with its smallest hashes. */
interface Population {
  readonly what: string;
  files: number;
  bytes: number;
  readonly smallest: Hashed[];
}

/** Kept of each stratum, so that one that is rare has enough to choose from. */
const KEPT_OF_STRATUM = 16;
const HASH_BYTES = 6;

type Prefers = (a: ManifestEntry, b: ManifestEntry) => number;
const keyBytes = ({ key }: ManifestEntry) => Buffer.byteLength(key);
const byTime: Prefers = (a, b) => compareKeys(a.lastModified, b.lastModified);

/** What is always in a sample: the first by each order. */
const EXTREMES: readonly Prefers[] = [
  (a, b) => b.sizeBytes - a.sizeBytes,
  (a, b) => a.sizeBytes - b.sizeBytes,
  byTime,
  (a, b) => byTime(b, a),
  (a, b) => keyBytes(b) - keyBytes(a),
];

/** The keys that copies stumble over: one of each kind is always in a sample. */
const ODD_KEYS: readonly RegExp[] = [
  /[^\p{ASCII}]/u,
  /[ +%]/,
  /\p{Cc}/u,
  /^\/|\/$|\/\/|(?:^|\/)\.{1,2}(?:\/|$)/,
];

/**
 * A stratified random sample in one pass and bounded memory: each object has a hash of seed and
 * key, and the smallest hashes of each stratum are chosen, as many as its share of all objects. The
 * same seed and objects give the same sample, in any order of the objects, as long as there are no
 * more than `MAX_PREFIXES` groups.
 */
export class Sampler {
  readonly #seed: string;
  readonly #files: number;
  readonly #ageBandOf: AgeBandOf;
  readonly #groups = new Set<string>();
  readonly #strata = new Map<string, Population>();
  readonly #special: (Hashed | undefined)[] = [];
  #smallest: Hashed[] = [];
  /** A hash above it is not among the smallest. */
  #bound = Number.POSITIVE_INFINITY;

  /** @param files in the sample, at most */
  constructor(seed: string, files: number, asOf: Date) {
    this.#seed = seed;
    this.#files = files;
    this.#ageBandOf = createAgeBands(asOf);
  }

  /** @param group the priority of a file, or the first segment of a key */
  add(entry: ManifestEntry, group: string): void {
    const stratum = this.#findStratum(entry, group);
    stratum.files += 1;
    stratum.bytes += entry.sizeBytes;
    const digest = hash('sha256', `${this.#seed}\0${entry.key}`, 'buffer');
    const hashed = { hash: digest.readUIntBE(0, HASH_BYTES), entry, stratum };
    this.#noteSpecial(hashed);
    if (hashed.hash < this.#bound) this.#smallest.push(hashed);
    if (this.#smallest.length >= this.#files * 4) this.#cut();
    const last = stratum.smallest[KEPT_OF_STRATUM - 1];
    if (last && compareHashed(hashed, last) > 0) return;
    stratum.smallest.push(hashed);
    stratum.smallest.sort(compareHashed);
    if (last) stratum.smallest.pop();
  }

  /** @param maxBytes of the sample; its last object stays, however large it is */
  finish(maxBytes = Number.POSITIVE_INFINITY): Sample {
    this.#cut();
    const strata = [...this.#strata.values()].toSorted((a, b) => compareKeys(a.what, b.what));
    const always = [
      ...new Map(this.#special.flatMap((each) => (each ? [[each.entry.key, each]] : []))).values(),
    ];
    const special = always.slice(0, this.#files);
    const chosen = new Set(special.map(({ entry }) => entry.key));
    const quotas = allot(
      this.#files,
      strata.map(({ files }) => files),
    );
    const random = strata
      .flatMap((stratum, at) => {
        const held = special.filter((each) => each.stratum === stratum).length;
        const others = this.#candidates(stratum).filter(({ entry }) => !chosen.has(entry.key));
        return others.slice(0, Math.max(0, (quotas[at] ?? 0) - held));
      })
      .toSorted(compareHashed)
      .slice(0, this.#files - special.length);
    const fitting = fit([...special.toSorted(bySize), ...random], special.length, maxBytes);
    return {
      entries: fitting.map(({ entry }) => entry).sort((a, b) => compareKeys(a.key, b.key)),
      strata: strata.map((stratum) => describe(stratum, fitting)),
      withoutRoom: always.filter((each) => !fitting.includes(each)).length,
    };
  }

  #findStratum({ sizeBytes, lastModified }: ManifestEntry, name: string): Population {
    if (this.#groups.size < MAX_PREFIXES) this.#groups.add(name);
    const group = this.#groups.has(name) ? name : REST_PREFIX;
    const size = SIZE_BANDS[sizeBandIndex(sizeBytes)] ?? '';
    const what = `${size}, ${AGE_BANDS[this.#ageBandOf(lastModified)]} days, ${group}`;
    const stored = this.#strata.get(what);
    if (stored) return stored;
    const stratum = { what, files: 0, bytes: 0, smallest: [] };
    this.#strata.set(what, stratum);
    return stratum;
  }

  #noteSpecial(hashed: Hashed): void {
    const { key } = hashed.entry;
    const prefer = (at: number, order: number) => {
      const held = this.#special[at];
      if (!held || order < 0 || (order === 0 && compareHashed(hashed, held) < 0))
        this.#special[at] = hashed;
    };
    for (const [at, order] of EXTREMES.entries()) {
      const held = this.#special[at];
      prefer(at, held ? order(hashed.entry, held.entry) : 0);
    }
    for (const [at, isOdd] of ODD_KEYS.entries())
      if (isOdd.test(key)) prefer(EXTREMES.length + at, 0);
  }

  #cut(): void {
    this.#smallest = this.#smallest.sort(compareHashed).slice(0, this.#files * 2);
    if (this.#smallest.length === this.#files * 2)
      this.#bound = this.#smallest.at(-1)?.hash ?? this.#bound;
  }

  /** Those of a stratum to choose from, the smallest hash first. */
  #candidates(stratum: Population): readonly Hashed[] {
    const held = this.#smallest.filter((each) => each.stratum === stratum);
    const byKey = new Map([...stratum.smallest, ...held].map((each) => [each.entry.key, each]));
    return [...byKey.values()].sort(compareHashed);
  }
}

/**
 * Shares a number of files among strata: the same rate in each, at least one of each as far as the
 * number allows, the larger strata first.
 *
 * | files | strata     | shares   |
 * | ----- | ---------- | -------- |
 * | 10    | 50, 30, 20 | 5, 3, 2  |
 * | 10    | 98, 1, 1   | 8, 1, 1  |
 * | 2     | 5, 3, 1    | 1, 1, 0  |
 * | 10    | 3, 1       | 3, 1     |
 */
export function allot(files: number, strata: readonly number[]): number[] {
  const total = sumBy(strata, (count) => count);
  if (files >= total) return [...strata];
  const exact = strata.map((count) => (files * count) / total);
  const shares = exact.map((share) => Math.max(1, Math.floor(share)));
  const short = (at: number) => (exact[at] ?? 0) - (shares[at] ?? 0);
  const places = strata.map((_count, at) => at);
  for (let left = files - sumBy(shares, (share) => share); left !== 0; left -= Math.sign(left)) {
    const step = Math.sign(left);
    const large = places.filter((at) => step > 0 || (shares[at] ?? 0) > 1);
    // Without a stratum of several, the smallest ones have none.
    const from = large.length > 0 ? large : places.filter((at) => shares[at] === 1);
    const order =
      large.length > 0 ? (at: number) => step * short(at) : (at: number) => -(exact[at] ?? 0);
    const at = from.reduce((best, each) => (order(each) > order(best) ? each : best));
    shares[at] = (shares[at] ?? 0) + step;
  }
  return shares;
}

/** Leaves out the last ones until the bytes fit; the first `special` go last, the largest first. */
function fit(chosen: readonly Hashed[], special: number, maxBytes: number): readonly Hashed[] {
  const kept = [...chosen];
  let bytes = sumBy(kept, ({ entry }) => entry.sizeBytes);
  while (bytes > maxBytes && kept.length > 1) {
    const [left] = kept.length > special ? kept.splice(-1) : kept.splice(0, 1);
    bytes -= left?.entry.sizeBytes ?? 0;
  }
  return kept;
}

function describe(stratum: Population, chosen: readonly Hashed[]): Stratum {
  const of = chosen.filter((each) => each.stratum === stratum);
  return {
    what: stratum.what,
    files: of.length,
    bytes: sumBy(of, ({ entry }) => entry.sizeBytes),
    ofFiles: stratum.files,
    ofBytes: stratum.bytes,
  };
}

function compareHashed(a: Hashed, b: Hashed): number {
  return a.hash - b.hash || compareKeys(a.entry.key, b.entry.key);
}

function bySize(a: Hashed, b: Hashed): number {
  return b.entry.sizeBytes - a.entry.sizeBytes || compareHashed(a, b);
}
