import { expect, test } from 'vitest';
import { manifest } from '../scripts/lib/package.ts';

test('typesVersions names the types of every subpath, for resolutions that do not read exports', () => {
  const subpaths = Object.entries(manifest.exports).flatMap(([name, target]) =>
    name === '.' || typeof target === 'string' ? [] : [[name.replace('./', ''), [target.types]]],
  );
  expect(manifest.typesVersions).toEqual({ '*': Object.fromEntries(subpaths) });
});
