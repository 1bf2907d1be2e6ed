import { mongoDouble, mongodb } from './services/mongodb.ts';
import { stripeMock } from './services/stripe-mock.ts';
import { temporal } from './services/temporal.ts';
import { timeSkipping } from './services/time-skipping.ts';
import { toxiproxy } from './services/toxiproxy.ts';
import { versitygw } from './services/versitygw.ts';

/**
 * Every local server that is a program of its own: where an address replaces it, and how its program is found.
 * The identity provider and the double of the cloud account need no program: they run in the stack's process.
 */
export const services = {
  temporal,
  mongodb,
  versitygw,
  timeSkipping,
  toxiproxy,
  stripeMock,
  mongoDouble,
} as const;
