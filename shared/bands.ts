/** @param band days, `30-90` or `365+` */
export function ageBandTitle(band: string): string {
  const [from = '', to] = band.split('-');
  return to === undefined ? `${from.replace('+', '')} days and more` : `${from} to ${to} days`;
}

/** @param band `<128KiB`, `128KiB-1MiB` or `>5GiB` */
export function sizeBandTitle(band: string): string {
  const spaced = band.replaceAll(/(\d)([KMGT]?i?B)/g, '$1 $2');
  if (spaced.startsWith('<')) return `below ${spaced.slice(1)}`;
  if (spaced.startsWith('>')) return `above ${spaced.slice(1)}`;
  return spaced.replace('-', ' to ');
}
