/** The pinned versions of the local servers. */
export const VERSIONS = {
  temporal: '1.5.1',
  /**
   * In a build of Temporal, instead of 1.34.1: there a read that is cancelled at the wrong moment leaves its
   * statement open, and every later call of the only connection ends with "interrupted (9)", until the server
   * answers "Namespace not found" to everything. Fixed in 1.40.1 and 1.42.2; 1.51.0 is what Temporal 1.9.1 uses.
   */
  temporalSqlite: '1.51.0',
  temporalTestServer: '1.38.0',
  mongod: '8.2.6',
  mongoJavaServer: '1.47.0',
  versitygw: '1.7.0',
  toxiproxy: '2.5.0',
  stripeMock: '0.197.0',
  schemathesis: '4.32.5',
  kubernetesValidate: '1.37.0',
} as const;

/** Programs found on the PATH must be at least this new. */
export const OLDEST_ON_PATH = {
  /** The server inside the CLI; required by update-with-start. */
  temporalServer: [1, 28],
  /** The minimum for the driver and for the API's indexes and expressions. */
  mongod: [5, 0],
} as const;
