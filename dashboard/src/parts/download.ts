/** Saves a file with the browser. */
export function download(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser may read the address after the click returns.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
