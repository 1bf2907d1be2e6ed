/**
 * A code of the API for a person: `completed_with_failures` is `Completed with failures`. Covers
 * the codes of a newer service; the tables in this folder only add what a reader can do.
 */
export function formatCode(code: string): string {
  const text = code.replaceAll('_', ' ');
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
