import { mongoDouble, mongodb } from './services/mongodb.ts';
import { stripeMock } from './services/stripe-mock.ts';
import { temporal } from './services/temporal.ts';
import { timeSkipping } from './services/time-skipping.ts';
import { toxiproxy } from './services/toxiproxy.ts';
import { versitygw } from './services/versitygw.ts';

/**
 * The local servers that are separate programs: the variables that replace them, and how their programs are found.
 * The identity provider and the AWS double run in the stack's process.
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
