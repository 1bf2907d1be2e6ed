import { setFlagsFromString } from 'node:v8';

/**
 * Lets the heap grow by a fifth between two collections instead of a multiple: a worker reads
 * millions of keys, and the API streams large results, and neither keeps any of it, so the growth
 * would be garbage.
 */
export function growHeapSlowly(): void {
  setFlagsFromString('--heap-growing-percent=20');
}
