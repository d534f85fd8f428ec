// Ends `npm test` where Vite cannot work.
import { root } from './lib/exec.ts';

// Vite reads "#" and "?" in a path as parts of a URL, and finds no module there.
const [character] = /[#?]/.exec(root) ?? [];
if (character !== undefined) {
  console.error(`npm test: Vite cannot load modules from a folder with "${character}" in its path: ${root}`);
  process.exitCode = 1;
}
