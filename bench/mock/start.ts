// How long a mock takes to be there, in a fresh process: loading the built entry, and making a mock without
// configuration.
const started = performance.now();
const { createMock } = await import('../../dist/mock/index.js');
const loaded = performance.now();
await createMock();
process.send?.({ load: loaded - started, make: performance.now() - loaded });
process.disconnect?.();
