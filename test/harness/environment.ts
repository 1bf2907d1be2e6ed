import process from 'node:process';

/** Sets variables of this process for the tests of a suite. */
export function withEnvironment(values: Readonly<Record<string, string>>): void {
  const given = new Map<string, string | undefined>();
  before(() => {
    for (const [name, value] of Object.entries(values)) {
      given.set(name, process.env[name]);
      process.env[name] = value;
    }
  });
  after(() => {
    for (const [name, value] of given)
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  });
}
