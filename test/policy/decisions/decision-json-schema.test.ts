import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { root } from '../../../scripts/lib/exec.ts';

interface JsonSchema {
  readonly description?: string;
  readonly properties?: Record<string, JsonSchema>;
  readonly items?: JsonSchema;
  readonly oneOf?: readonly JsonSchema[];
}

/** The fields of a schema that have no description, by their path. */
function undescribed({ properties = {}, items, oneOf = [] }: JsonSchema, at: string): string[] {
  const below = [...oneOf, ...(items === undefined ? [] : [items])];
  return [
    ...below.flatMap((schema) => undescribed(schema, at)),
    ...Object.entries(properties).flatMap(([name, schema]) => [
      ...(schema.description === undefined ? [`${at}/${name}`] : []),
      ...undescribed(schema, `${at}/${name}`),
    ]),
  ];
}

test('the JSON Schema of a log describes every field of its lines', () => {
  const schema: JsonSchema = JSON.parse(readFileSync(`${root}dist/decision.schema.json`, 'utf8'));
  expect(schema.oneOf).toHaveLength(2);
  expect(undescribed(schema, '')).toEqual([]);
});
