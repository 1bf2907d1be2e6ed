import { mongoDouble, mongodb } from './mongodb.ts';
import { kubernetesValidate, schemathesis } from './python-tools.ts';
import { stripeMock } from './stripe-mock.ts';
import { temporal } from './temporal.ts';
import { timeSkipping } from './time-skipping.ts';
import { toxiproxy } from './toxiproxy.ts';
import { versitygw } from './versitygw.ts';

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
  schemathesis,
  kubernetesValidate,
  mongoDouble,
} as const;
