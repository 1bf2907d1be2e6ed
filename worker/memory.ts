import { setFlagsFromString } from 'node:v8';

/**
 * Lets the heap grow by a fifth between two collections, not to several times of what is used: a
 * worker reads millions of keys and keeps none of them, so what it would grow by is rubbish.
 */
export function growHeapSlowly(): void {
  setFlagsFromString('--heap-growing-percent=20');
}
