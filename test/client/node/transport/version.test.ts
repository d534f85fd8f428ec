import { expect, test } from 'vitest';
import { manifest } from '../../../../scripts/lib/package.ts';

// The undici projects of vitest.config.ts replace the undici of package.json with another one.
test('the tests run over the intended undici', async () => {
  const { default: undici } = await import('undici/package.json', { with: { type: 'json' } });
  const meant = manifest.devDependencies[process.env.UNDICI ?? 'undici'];
  expect(meant?.replace('npm:undici@', '')).toBe(undici.version);
});

test('the peer dependency’s range begins with the oldest tested release, and ends with the major of the newest', () => {
  const [oldest, newest] = ['undici-oldest', 'undici-newest'].map(
    (name) => manifest.devDependencies[name]?.replace('npm:undici@', '') ?? '',
  );
  expect(manifest.peerDependencies.undici).toBe(`^${oldest} || ^${newest?.split('.')[0]}.0.0`);
});
