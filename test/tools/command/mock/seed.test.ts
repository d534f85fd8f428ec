import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { root } from '../../../../scripts/lib/exec.ts';
import { run } from '../../../../src/tools/command/mock/start-mock.ts';

const folder = mkdtempSync(join(tmpdir(), 'arango-services-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes files into a folder of their own, and returns the path of the first one. */
function write(files: Readonly<Record<string, string>>): string {
  const own = mkdtempSync(join(folder, 'seed-'));
  const paths = Object.entries(files).map(([name, text]) => {
    const path = join(own, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  });
  return paths[0] ?? own;
}

/** Runs the command over a seed file in this process. */
async function seeded(file: string, ...more: readonly string[]) {
  const out: string[] = [];
  const lines: string[] = [];
  const code = await run(['mock', '--port=0', '--seed', file, ...more], {
    env: {},
    print: (line) => out.push(line),
    warn: (line) => lines.push(line),
    serving: (mock) => onTestFinished(() => mock[Symbol.asyncDispose]()),
  });
  return { code, out: out.join('\n'), lines };
}

/** The effects of questions to the mock that a seed file makes. */
async function effects(file: string, questions: readonly object[]): Promise<unknown[]> {
  const { out } = await seeded(file);
  const url = /listening on (http:\S+)$/.exec(out)?.[1];
  const answers = questions.map(async (question) => {
    const body = JSON.stringify(question);
    const response = await fetch(`${url}/_integration/authorization/v1/evaluate`, { method: 'POST', body });
    return ((await response.json()) as { readonly effect: unknown }).effect;
  });
  return Promise.all(answers);
}

const shop = `
include: [teams/warehouse.yaml]
scopes:
  europe: { statements: [{ effect: Allow, actions: ["*"], resources: ["orders:eu"] }] }
policies:
  reader:
    description: Reads orders
    statements: [{ effect: Allow, actions: ["orders:read"], resources: ["orders:*"] }]
roles: { viewer: { policies: [reader] } }
bindings: [{ user: alice, role: viewer, scope: europe }]
manage: { policies: ["*"] }
`;
const warehouse = 'bindings: [{ user: bob, role: viewer, scope: europe }]';
const questions = ['alice', 'bob', 'eve'].map((user) => ({ user, action: 'orders:read', resource: 'orders:eu' }));

describe('a file of permissions as a seed', () => {
  test.each(['shop.yaml', 'shop.yml', 'SHOP.YAML'])('%s, with what it includes', async (name) => {
    const file = write({ [name]: shop, 'teams/warehouse.yaml': warehouse });
    expect(await effects(file, questions)).toEqual(['Allow', 'Allow', 'Deny']);
    const elsewhere = { ...questions[0], resource: 'orders:us' };
    expect(await effects(file, [elsewhere])).toEqual(['Deny']);
  });

  test.each<[string, object]>([
    ['manage', { manage: {} }],
    ['scopes', { scopes: {} }],
    ['include', { include: [] }],
    ['its schema', { $schema: './node_modules/arango-services/dist/permissions.schema.json' }],
  ])('as JSON, recognized by %s', async (_, fields) => {
    const everything = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] };
    const value = {
      ...fields,
      policies: { reader: everything },
      roles: { viewer: { policies: ['reader'] } },
      bindings: [{ user: 'alice', role: 'viewer', scope: everything }],
    };
    const file = write({ 'shop.json': JSON.stringify(value) });
    expect(await effects(file, questions)).toEqual(['Allow', 'Deny', 'Deny']);
    const { code, lines } = await seeded(write({ 'shop.json': JSON.stringify({ ...value, users: [] }) }));
    expect([code, lines]).toEqual([64, [expect.stringMatching(/shop\.json:1:\d+: unknown field/)]]);
  });

  test('flags override it as they override any seed', async () => {
    const file = write({ 'shop.yaml': shop, 'teams/warehouse.yaml': warehouse });
    const { out } = await seeded(file, '--print-config', '--fidelity=sidecar');
    expect(JSON.parse(out)).toMatchObject({ fidelity: 'sidecar', bindings: [{ user: 'alice' }, { user: 'bob' }] });
  });

  test('names file, line and column of each problem and exits with 64', async () => {
    const file = write({
      'shop.yaml': 'include: [b.yaml]\npolicys: {}\nroles: { r: { policies: 7 } }',
      'b.yaml': 'roles:\n\tr: 1',
    });
    const { code, lines } = await seeded(file);
    expect(code).toBe(64);
    const short = lines.map((line) => line.replaceAll(dirname(file), ''));
    expect(short).toEqual([
      expect.stringMatching(
        /^arango-services: \/shop\.yaml:2:1: unknown field "policys" \(did you mean "policies"\?\)/,
      ),
      expect.stringMatching(/^arango-services: \/shop\.yaml:3:25: expected a list, got a number$/),
      expect.stringMatching(/^arango-services: \/b\.yaml:2:1: Tabs are not allowed/),
    ]);
  });

  test('does not follow an include through a link out of the folder', async () => {
    const outside = write({ 'x.yaml': 'roles: {}' });
    const file = write({ 'shop.yaml': 'include: [link.yaml]' });
    symlinkSync(outside, join(dirname(file), 'link.yaml'));
    const { code, lines } = await seeded(file);
    expect([code, lines[0]]).toEqual([64, expect.stringMatching(/:1:11: is outside the folder of the first file$/)]);
  });

  test.each([
    ['missing.yaml', 'there is no such file'],
    [`${folder}/folder.yaml`, 'is a directory'],
  ])('that cannot be read (%s)', async (file, message) => {
    mkdirSync(join(folder, 'folder.yaml'), { recursive: true });
    expect(await seeded(file)).toEqual({ code: 64, out: '', lines: [`arango-services: ${file}: ${message}`] });
  });

  test('the error of a file that is not YAML quotes nothing of it', async () => {
    const { code, lines } = await seeded(write({ 'a.yaml': 'policies: {}\n"canary": "canary" canary: "x\n' }));
    expect(code).toBe(64);
    expect(lines.join()).not.toContain('canary');
  });
});

test('the command loads the YAML parser only when a seed file is YAML', async () => {
  const options = { bundle: true, packages: 'external', format: 'esm', platform: 'node', write: false } as const;
  const { metafile } = await build({
    ...options,
    entryPoints: [`${root}src/tools/command/mock/start-mock.ts`],
    splitting: true,
    outdir: 'out',
    metafile: true,
    external: ['#*'],
  });
  const loads = (output: string, isLazy: boolean): string[] =>
    (metafile.outputs[output]?.imports ?? []).flatMap(({ path, kind }) =>
      kind === 'dynamic-import' && !isLazy ? [] : [path, ...loads(path, isLazy)],
    );
  const [entry = ''] = Object.keys(metafile.outputs).filter((output) => /\/start-mock\.js$/.test(output));
  expect(loads(entry, true)).toContain('yaml');
  expect(loads(entry, false)).toContain('node:fs/promises');
  expect(loads(entry, false)).not.toContain('yaml');
});
