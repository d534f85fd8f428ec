// Writes the JSON Schemas of files, with the docstrings of their fields as descriptions: dist/seed.schema.json for seed
// files of the mock, dist/permissions.schema.json for files of permissions, dist/permissions-test.schema.json for their
// tests, dist/permissions-users.schema.json for the users of an apply, dist/permissions-holds.schema.json
// for holds, and dist/decision.schema.json for lines of decision logs.
import { readFileSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { root } from './lib/exec.ts';
import { readFieldDocs } from './lib/field-docs.ts';

/** The parts of a JSON Schema that hold other schemas, as the functions below make them. */
interface JsonSchema {
  description?: string;
  readonly const?: unknown;
  readonly properties?: Record<string, JsonSchema | true>;
  readonly items?: JsonSchema;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly then?: JsonSchema;
  readonly else?: JsonSchema;
}

/** Fields whose values are described by an interface of their own. */
const interfaces: ReadonlyMap<string, string> = new Map([
  ['MockConfig.policies', 'Policy'],
  ['MockConfig.roles', 'Role'],
  ['MockConfig.bindings', 'Binding'],
  ['MockConfig.services', 'ServiceConfig'],
  ['Policy.statements', 'Statement'],
  ['Role.scope', 'Policy'],
  ['Binding.scope', 'Policy'],
  ['PermissionsFile.scopes', 'Policy'],
  ['PermissionsFile.policies', 'Policy'],
  ['PermissionsFile.roles', 'FileRole'],
  ['PermissionsFile.bindings', 'FileBinding'],
  ['PermissionsFile.manage', 'FileManage'],
  ['PermissionsFile.limits', 'FileLimit'],
  ['FileManage.bindings', 'FileManagedBindings'],
  ['TestsFile.given', 'FileBinding'],
  ['TestsFile.expect', 'TestsFileExpectation'],
  ['TestsFile.tables', 'TestsFileTable'],
  ['TestsFile.nobody', 'TestsFileNobody'],
  ['DecisionLine.subject', 'DecisionSubject'],
  ['DecisionLine.revision', 'DecisionRevision'],
  ['DecisionLine.because', 'DecisionStatement'],
  ['DecisionLine.shadow', 'ShadowDecision'],
  ['HoldsFile.holds', 'Hold'],
  ['FileRole.scope', 'Policy'],
  ['FileBinding.scope', 'Policy'],
]);

const docs = new Map(
  [
    'src/policy/decision-line/gap-line.ts',
    'src/policy/decision-line/line.ts',
    'src/mock/config/mock-config.ts',
    'src/permissions/format/file-schema.ts',
    'src/permissions/holds/hold-schema.ts',
    'src/permissions/holds/hold.ts',
    'src/permissions/tests/test-schema.ts',
    'src/policy/model/model.ts',
  ].flatMap((file) => [...readFieldDocs(readFileSync(root + file, 'utf8'))]),
);

/** True for the other kind of line of a decision log. */
const isGap = ({ properties: { kind } = {} }: JsonSchema) => typeof kind === 'object' && kind.const === 'gap';

/** Puts the docstring of each field into the schema of its value. */
function describe(schema: JsonSchema, at: string): void {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const path = `${at}.${name}`;
    if (property === true) continue;
    const doc = docs.get(path) ?? '';
    if (doc !== '') property.description = doc;
    describe(property, interfaces.get(path) ?? path);
  }
  const { items, additionalProperties, anyOf = [], oneOf = [] } = schema;
  for (const below of [items, additionalProperties, schema.then, schema.else, ...anyOf, ...oneOf]) {
    if (typeof below === 'object') describe(below, isGap(below) ? 'GapLine' : at);
  }
}

/** Loads a file of `lib/schemas`, which imports sources of the package. */
async function load(source: string) {
  const { outputFiles } = await build({
    entryPoints: [`${root}scripts/lib/schemas/${source}.ts`],
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    write: false,
  });
  return import(`data:text/javascript,${encodeURIComponent(outputFiles[0]?.text ?? '')}`);
}

/** Writes a schema with the docstrings of an interface. */
function writeSchema(schema: JsonSchema, at: string, file: string): void {
  describe(schema, at);
  writeFileSync(root + file, `${JSON.stringify(schema)}\n`);
}

const seed = await load('seed-schema');
writeSchema(seed.createSeedSchema(), 'MockConfig', 'dist/seed.schema.json');
const permissions = await load('permissions-schemas');
writeSchema(permissions.createPermissionsSchema(), 'PermissionsFile', 'dist/permissions.schema.json');
writeSchema(permissions.createTestsSchema(), 'TestsFile', 'dist/permissions-test.schema.json');
writeSchema(permissions.createHoldsSchema(), 'HoldsFile', 'dist/permissions-holds.schema.json');
writeSchema(permissions.createOwnersSchema(), '', 'dist/permissions-users.schema.json');
const decision = await load('decision-schema');
writeSchema(decision.createDecisionSchema(), 'DecisionLine', 'dist/decision.schema.json');
