import { readFileSync } from 'node:fs';
import { createLeftAlonePatterns } from '../../domain/inventory/key-marks.ts';

/** The delivered patterns. */
export const leftAlonePatterns = createLeftAlonePatterns(
  JSON.parse(readFileSync(new URL('../../data/left-alone.json', import.meta.url), 'utf8')),
);
