import type { Section } from '../statement.ts';

export const EVENTS: Section = {
  heading: 'Events',
  statements: [
    {
      id: 'events.none',
      quote: 'Events: not shown. No webhook or notification mechanism is described.',
      says: 'The service calls no client: no webhooks, no callbacks.',
    },
    {
      id: 'events.polling',
      quote: 'Completion of scans and migrations is observed by polling.',
      says: 'The end of scans and migrations is observed by polling.',
    },
  ],
};

export const VERSIONING: Section = {
  heading: 'Versioning',
  statements: [
    {
      id: 'versioning.prefix',
      quote: '1. Paths carry the prefix `/v1`.',
      says: 'Paths carry the prefix `/v1`.',
    },
    {
      id: 'versioning.labels',
      quote: '2. Service version label 0.1;',
      says: 'The service is version 0.1.',
    },
    {
      id: 'versioning.architecture',
      quote: 'architecture version 2.0',
      says: 'The architecture is version 2.0.',
    },
    {
      id: 'versioning.not-in-v1',
      quote: '3. Idempotency keys and cursor pagination are not implemented in v1;',
      says: 'No idempotency keys and no cursors in v1.',
    },
    {
      id: 'versioning.later',
      quote: 'idempotency keys are a likely later addition',
      says: 'Idempotency keys may come later.',
      notTestable: 'an outlook, not a promise',
    },
    {
      id: 'versioning.deprecation',
      quote: '4. Deprecation and compatibility policy: not shown.',
      says: 'Deprecation and compatibility policy: left open.',
      notTestable: 'neither the specification nor the contract says anything',
    },
  ],
};
