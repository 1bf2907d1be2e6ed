/** IAM's wildcards: `*` any run of characters, `?` exactly one. */
export function wildcard(pattern: string, value: string): boolean {
  if (!/[*?]/.test(pattern)) return pattern === value;
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 's').test(value);
}
