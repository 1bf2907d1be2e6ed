// Preloaded into a process: its look-ups ask the name server of the test instead of the machine's.
const dns = require('node:dns/promises');
const { syncBuiltinESMExports } = require('node:module');

const { Resolver } = dns;
dns.Resolver = class extends Resolver {
  constructor(options) {
    super(options);
    this.setServers([process.env.TEST_NAME_SERVER]);
  }
};
syncBuiltinESMExports();
