// The start of a mock in a fresh process: loading the built entry, and creating a mock without configuration.
const started = performance.now();
const { createMock } = await import('../../dist/mock/index.js');
const loaded = performance.now();
await createMock();
process.send?.({ load: loaded - started, make: performance.now() - loaded });
process.disconnect?.();
