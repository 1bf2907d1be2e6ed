/**
 * Was no connection made, so that the request did not arrive?
 *
 * Node names the failed system call (`connect`, `getaddrinfo`), and undici its connect timeout. If
 * a name has several addresses, Node tries all of them and throws an AggregateError. An
 * unrecognised failure counts as "may have arrived", the safe assumption.
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

/** Maximum length of a chain of causes. */
const LONGEST_CHAIN = 5;

/**
 * A copy of an error that is safe to show: name, code and message, without the query of any URL,
 * user names, bearer tokens, API keys and the stack. Some runtimes put the whole address into the
 * message of a failed fetch (Deno: "error sending request for url (…)"), and a presigned URL is a
 * secret until it expires.
 */
export function safeCause(error: unknown, depth = 0): Error | undefined {
  if (!(error instanceof Error) || depth === LONGEST_CHAIN) return undefined;
  const cause = safeCause(error.cause, depth + 1);
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
