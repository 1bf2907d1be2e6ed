import process from 'node:process';

/** `npm run test:long`: more kills, more cases, longer soaks. */
export const isLongForm = process.env['FAULTS'] === 'long';
