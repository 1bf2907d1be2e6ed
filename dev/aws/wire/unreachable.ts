/** Ends a switch that names every case: the compiler refuses a call that can be reached. */
export function unreachable(value: never): never {
  throw new TypeError(`a case is missing: ${JSON.stringify(value)}`);
}
