import { acceptance, type Section } from '../statement.ts';

export const EVENTS: Section = {
  heading: 'Events',
  statements: [
    {
      id: 'events.none',
      quote: 'Events: not shown. No webhook or notification mechanism is described.',
      says: 'The service calls nobody: no webhooks, no callbacks.',
      heldBy: acceptance(
        'openapi',
        'The description at /openapi.json promises no call to anybody: neither webhooks nor callbacks',
      ),
    },
    {
      id: 'events.polling',
      quote: 'Completion of scans and migrations is observed by polling.',
      says: 'The end of scans and migrations is observed by polling.',
      heldBy: [
        ...acceptance(
          'scanner',
          'The scanner starts one scan of three that are asked for at once, and brings it to its end',
        ),
        ...acceptance(
          'migration',
          'A migration is watched to its end, never goes back, and copies what was recommended',
        ),
      ],
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
      heldBy: [
        ...acceptance(
          'requests',
          'Requests to unknown paths are answered with not_found, with and without credentials',
        ),
        ...acceptance(
          'openapi',
          'The description at /openapi.json describes the endpoints that there are, and no others',
        ),
      ],
    },
    {
      id: 'versioning.labels',
      quote: '2. Service version label 0.1;',
      says: 'The service is version 0.1.',
      heldBy: acceptance(
        'openapi',
        'The description at /openapi.json is OpenAPI 3.1 of this version of the service',
      ),
    },
    {
      id: 'versioning.architecture',
      quote: 'architecture version 2.0',
      says: 'The architecture is version 2.0.',
      heldBy: acceptance('account', 'Health says what it is and what it stands on (/health)'),
    },
    {
      id: 'versioning.not-in-v1',
      quote: '3. Idempotency keys and cursor pagination are not implemented in v1;',
      says: 'No idempotency keys and no cursors in v1.',
      heldBy: [
        ...acceptance('repeats', 'A repeated …'),
        ...acceptance('analytics', 'Analytics refuse cursor=x'),
      ],
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
