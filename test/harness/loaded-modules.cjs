// Preloaded into a process: writes which files of OpenTelemetry it has loaded when it ends.
const { appendFileSync } = require('node:fs');

process.on('exit', () => {
  const files = Object.keys(require.cache).filter((file) => file.includes('opentelemetry'));
  appendFileSync(process.env.LOADED_MODULES, `${JSON.stringify(files)}\n`);
});
