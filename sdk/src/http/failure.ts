/**
 * Was no connection made at all, so that the request surely did not arrive?
 *
 * Node names the system call that failed (`connect`, `getaddrinfo`), and undici its own limit on connecting. Where a name
 * has several addresses, Node tries them all and throws an AggregateError. Whatever cannot be recognised counts as "may
 * have arrived": the careful side.
 */
export function neverConnected(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError) {
    return error.errors.length > 0 && error.errors.every(neverConnected);
  }
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall === 'connect' || syscall === 'getaddrinfo') return true;
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return true;
  return neverConnected(error.cause);
}

/** How far a chain of causes is followed. */
const LONGEST_CHAIN = 5;

/**
 * A copy of an error that can be shown: its name, code and message with every URL cut off before its query, every user
 * name, bearer token and API key left out, and without a stack. Some runtimes write the whole address into the message of a failed fetch
 * (Deno: "error sending request for url (…)"), and a presigned address is a secret for as long as it lives.
 */
export function shownCause(error: unknown, depth = 0): Error | undefined {
  if (!(error instanceof Error) || depth === LONGEST_CHAIN) return undefined;
  const cause = shownCause(error.cause, depth + 1);
  const shown = new Error(withoutSecrets(error.message), cause && { cause });
  const { code, syscall } = error as NodeJS.ErrnoException;
  shown.name = error.name;
  delete shown.stack;
  return Object.assign(shown, code !== undefined && { code }, syscall !== undefined && { syscall });
}

/** The text without user names and queries of URLs, bearer tokens and API keys. */
export function withoutSecrets(text: string): string {
  return text
    .replaceAll(/(https?:\/\/)[^\s/?#@'"]*@/gi, '$1…@')
    .replaceAll(/(https?:\/\/[^\s?'"<>()]*)\?[^\s'"<>()]*/gi, '$1?…')
    .replaceAll(/\bbearer\s+\S+/gi, 'Bearer …')
    .replaceAll(/\bsvc_(live|test)_[0-9a-f-]+/gi, 'svc_$1_…');
}
