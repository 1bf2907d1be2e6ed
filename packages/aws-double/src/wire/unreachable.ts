/** Ends an exhaustive switch: the compiler refuses a reachable call. */
export function unreachable(value: never): never {
  throw new TypeError(`a case is missing: ${JSON.stringify(value)}`);
}
