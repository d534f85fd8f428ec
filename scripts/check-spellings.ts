// Sends random spellings of path parameters to services whose frameworks convert them: NestJS and Spring. Two requests
// whose handlers get the same value must not be judged as different resources. Missing Java causes a warning, and a
// failure in CI. Exits with 1 otherwise. FastAPI has the same in check-fastapi.ts.
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Checks } from './lib/checks.ts';
import { exec, root } from './lib/exec.ts';
import { reportNotTried } from './lib/not-tried.ts';
import { withService } from './lib/running-service.ts';
import { scratch } from './lib/scratch.ts';
import { type SpellingService, trySpellings } from './lib/spellings.ts';

const nest = '12.5.1';
const packages = [
  ...['common', 'core', 'platform-express'].map((name) => `@nestjs/${name}@${nest}`),
  ...['reflect-metadata@0.2.2', 'rxjs@7.8.2', 'class-validator@0.15.1', 'class-transformer@0.5.1'],
];
const nestKinds = ['boolean', 'integer', 'number', 'date', 'date-time', 'uuid', 'choice', 'text'];
const springKinds = [...nestKinds, 'float', 'time', 'ipv4', 'ipv6', 'byte'];
const each = 1_000;

const folder = await mkdtemp(join(tmpdir(), 'arango-services-spellings-'));
const checks = new Checks('check-spellings');

/** Tries each mount of a service. */
async function tryAll(
  command: readonly string[],
  services: Readonly<Record<string, Omit<SpellingService, 'url'>>>,
): Promise<string[]> {
  const found: string[] = [];
  await withService(command, '/', async (url) => {
    for (const [name, service] of Object.entries(services)) {
      found.push(...(await trySpellings(name, { url, ...service }, each)));
    }
  });
  return found;
}

try {
  await checks.run('NestJS', async () => {
    await symlink(join(await scratch(...packages), 'node_modules'), join(folder, 'node_modules'));
    await cp(join(root, 'test/deep/spellings/nest.js'), join(folder, 'nest.mjs'));
    return tryAll([process.execPath, join(folder, 'nest.mjs')], {
      'NestJS, pipes': { basePath: '/pipes', kinds: nestKinds },
      // ValidationPipe takes every other text for false, and an invalid date for a date.
      'NestJS, ValidationPipe': { basePath: '/transform', kinds: ['boolean', 'integer', 'number', 'text'] },
    });
  });
  const spring = join(folder, 'spring');
  await cp(join(root, 'test/deep/spellings/spring'), spring, { recursive: true });
  const built = await exec('mvn', ['-q', '-B', 'package'], { cwd: spring, timeout: 600_000 });
  if (built.ok) {
    await checks.run('Spring', () =>
      tryAll(['java', '-jar', join(spring, 'target/spellings.jar')], {
        Spring: { kinds: springKinds },
        'Spring, BigDecimal': { basePath: '/decimal', kinds: ['number'] },
        'Spring, Instant': { basePath: '/instant', kinds: ['date-time'] },
      }),
    );
  } else {
    reportNotTried('NOT TRIED: Spring, because Java or Maven is missing.');
    console.error(built.output.slice(-500));
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
checks.end();
