// Writes dist/seed.schema.json: the JSON Schema of a seed file, with the docstrings of the configuration as
// descriptions.
import { readFileSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { root } from './lib/exec.ts';
import { readFieldDocs } from './lib/field-docs.ts';

/** The parts of a JSON Schema that hold other schemas, as `createSeedSchema` makes them. */
interface JsonSchema {
  description?: string;
  readonly properties?: Record<string, JsonSchema | true>;
  readonly items?: JsonSchema;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly anyOf?: readonly JsonSchema[];
  readonly then?: JsonSchema;
  readonly else?: JsonSchema;
}

/** Fields whose values are described by an interface of their own. */
const interfaces: ReadonlyMap<string, string> = new Map([
  ['MockConfig.policies', 'Policy'],
  ['MockConfig.roles', 'Role'],
  ['MockConfig.bindings', 'Binding'],
  ['Policy.statements', 'Statement'],
  ['Role.scope', 'Policy'],
  ['Binding.scope', 'Policy'],
]);

const docs = new Map(
  ['src/mock/config/settings.ts', 'src/policy/model.ts'].flatMap((file) => [
    ...readFieldDocs(readFileSync(root + file, 'utf8')),
  ]),
);

/** Puts the docstring of each field into the schema of its value. */
function describe(schema: JsonSchema, at: string): void {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const path = `${at}.${name}`;
    if (property === true) continue;
    const doc = docs.get(path) ?? '';
    if (doc !== '') property.description = doc;
    describe(property, interfaces.get(path) ?? path);
  }
  const { items, additionalProperties, anyOf = [] } = schema;
  for (const below of [items, additionalProperties, schema.then, schema.else, ...anyOf]) {
    if (typeof below === 'object') describe(below, at);
  }
}

const { outputFiles } = await build({
  entryPoints: [`${root}src/mock/config/seed-schema.ts`],
  bundle: true,
  format: 'esm',
  platform: 'neutral',
  write: false,
});
const { createSeedSchema } = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0]?.text ?? '')}`);
const schema: JsonSchema = createSeedSchema();
describe(schema, 'MockConfig');
writeFileSync(`${root}dist/seed.schema.json`, `${JSON.stringify(schema)}\n`);
