/** Every version that the local servers are pinned to, in one place. */
export const VERSIONS = {
  /** The newest one that `go install` takes (later ones carry replace directives). */
  temporal: '1.5.1',
  temporalTestServer: '1.38.0',
  mongod: '8.2.6',
  mongoJavaServer: '1.47.0',
  versitygw: '1.7.0',
  toxiproxy: '2.5.0',
  stripeMock: '0.197.0',
} as const;

/** Programs found on the PATH must be at least this new. */
export const OLDEST_ON_PATH = {
  /** The server inside the CLI: update-with-start and its races need it. */
  temporalServer: [1, 28],
  /** What the driver still speaks to, and what the API's indexes and expressions need. */
  mongod: [5, 0],
} as const;
