import type { NextConfig } from 'next';

// The types are checked by tsc.
export default { typescript: { ignoreBuildErrors: true } } satisfies NextConfig;
