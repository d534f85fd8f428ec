// ky creates a TextEncoder when it is loaded: without one, this error comes instead of ky's ReferenceError. It imports
// nothing, so that bundles keep the modules of this package together, behind ky.
const needed = ['TextDecoder', 'TextEncoder'].filter((name) => !(name in globalThis));
if (needed.length > 0) throw new Error(`arango-services needs ${needed.join(', ')}: import polyfills before it`);

export {};
