// Joins the types that tsc wrote into dist. A part of the build.
import { joinTypes } from './lib/join-types.ts';

await joinTypes('dist');
