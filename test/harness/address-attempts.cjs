// Preloaded into a process: says when it ends how long it waits for each address of a name.
const { getDefaultAutoSelectFamilyAttemptTimeout } = require('node:net');

process.on('exit', () => {
  process.stdout.write(`\n${getDefaultAutoSelectFamilyAttemptTimeout()}\n`);
});
