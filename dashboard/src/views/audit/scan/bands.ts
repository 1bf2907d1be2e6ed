/** The names of the groups of a scan. */

/** @param band days, `30-90` or `365+` */
export function formatAge(band: string): string {
  const [from = '', to] = band.split('-');
  return to === undefined ? `${from.replace('+', '')} days and more` : `${from} to ${to} days`;
}

/** @param band `<128KiB`, `128KiB-1MiB` or `>5GiB` */
export function formatSize(band: string): string {
  const spaced = band.replaceAll(/(\d)([KMGT]?i?B)/g, '$1 $2');
  if (spaced.startsWith('<')) return `below ${spaced.slice(1)}`;
  if (spaced.startsWith('>')) return `above ${spaced.slice(1)}`;
  return spaced.replace('-', ' to ');
}

/** @param prefix `*` stands for all objects outside of the listed prefixes */
export function formatPrefix(prefix: string): string {
  return prefix === '*' ? 'everything else' : prefix;
}
