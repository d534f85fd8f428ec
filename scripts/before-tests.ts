// Says what `npm test` runs and how long that takes, and ends it where Vite cannot work.
import { root } from './lib/exec.ts';

// Vite reads "#" and "?" in a path as parts of a URL, and finds no module there.
const [character] = /[#?]/.exec(root) ?? [];
if (character !== undefined) {
  console.error(`npm test: Vite cannot load modules from a folder with "${character}" in its path: ${root}`);
  process.exitCode = 1;
} else {
  console.log('npm test: lint, build and types, then the unit tests: 2 to 4 minutes on two cores');
}
