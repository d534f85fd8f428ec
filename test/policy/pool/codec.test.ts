import { create, type DescMessage, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ItemReader, ItemWriter } from '../../../src/policy/pool/codec.ts';
import type { PoolItem, PoolKind } from '../../../src/policy/pool/pool-items.ts';
import { emptySchema, poolFile, rawFields, rawMessage } from '../../../src/policy/pool/pool-service.ts';

// Compares the hand-written codec with protobuf-es, over arbitrary messages.

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.constantFrom('', '*', 'orders:read', 'ü:日本', '\ufeff', '\ufefforders:read'),
);
const texts = fc.array(text, { maxLength: 3 });
const statement = fc.record({
  effect: fc.constantFrom('Allow' as const, 'Deny' as const),
  actions: texts,
  resources: texts,
  description: text,
});
const policy = fc.record({ statements: fc.array(statement, { maxLength: 3 }), description: text });
const scope = fc.option(policy);
const item = <T>(content: fc.Arbitrary<T>) =>
  fc.record({ name: text, index: fc.nat({ max: 0xffffffff }), item: fc.option(content, { nil: undefined }) });

function schemaOf(content: string): DescMessage {
  const schema = poolFile.messages.find(({ name }) => name === `AuthorizationPool${content}Response`);
  if (schema === undefined) throw new Error(`no responses with ${content}`);
  return schema;
}

const kinds = [
  ['policies', item(policy), schemaOf('Policy')],
  ['roles', item(fc.record({ policies: texts, scope, description: text })), schemaOf('Role')],
  ['bindings', item(fc.record({ role: text, scope })), schemaOf('UserRoleBinding')],
] as const satisfies readonly (readonly [PoolKind, fc.Arbitrary<PoolItem>, DescMessage])[];

/** Effects as numbers, and null left out, as protobuf-es expects. */
const init = (value: unknown) =>
  JSON.parse(
    JSON.stringify(value, (name, one) =>
      one === null ? undefined : name === 'effect' ? (one === 'Allow' ? 1 : 0) : one,
    ),
  );

/** Texts as protobuf-es reads them: without a leading byte order mark. */
const withoutMarks = (value: unknown) =>
  JSON.parse(JSON.stringify(value), (_name, one) => (typeof one === 'string' ? one.replace(/^\ufeff/, '') : one));

describe.each(kinds)('%s', (kind, items, schema) => {
  const lists = fc.array(items as fc.Arbitrary<PoolItem>, { maxLength: 4 });

  test('reads the output of protobuf-es', () => {
    const reader = new ItemReader();
    fc.assert(
      fc.property(lists, (all) => {
        const bytes = toBinary(schema, create(schema, init({ items: all })));
        expect([...reader.items(kind, rawFields(fromBinary(emptySchema, bytes)))]).toEqual(all);
      }),
    );
  });

  test('protobuf-es reads its output', () => {
    const writer = new ItemWriter();
    fc.assert(
      fc.property(lists, (all) => {
        const bytes = toBinary(
          emptySchema,
          rawMessage(
            all.map(({ item, ...one }, i) =>
              // In every other item the content is written beforehand.
              writer.item(kind, { ...one, item: i % 2 === 0 ? item : item && writer.content(kind, item) }),
            ),
          ),
        );
        const expected: MessageInitShape<DescMessage> = create(schema, withoutMarks(init({ items: all })));
        expect(fromBinary(schema, bytes)).toEqual(expected);
      }),
    );
  });
});

test('skips unknown fields', () => {
  // The item {name: "a", index: 7}, with a text as field 9 inside of it; and a number as field 4 of the message.
  const bytes = Uint8Array.from([0x0a, 0x08, 0x0a, 0x01, 0x61, 0x10, 0x07, 0x4a, 0x01, 0x62, 0x20, 0x05]);
  expect([...new ItemReader().items('policies', rawFields(fromBinary(emptySchema, bytes)))]).toEqual([
    { name: 'a', index: 7, item: undefined },
  ]);
});

test('decodes each item when it is taken, so that no step takes longer than the longest item', () => {
  const fields = [
    [0x02, 0x10, 0x07],
    [0x02, 0x10],
  ].map((data) => ({ no: 1, wireType: 2, data: Uint8Array.from(data) }));
  const items = new ItemReader().items('policies', fields);
  expect(items.next().value).toEqual({ name: '', index: 7, item: undefined });
  expect(() => items.next()).toThrow(RangeError);
});

test('rejects text that is not valid UTF-8, instead of replacing characters', () => {
  const data = Uint8Array.from([0x03, 0x0a, 0x01, 0xff]);
  expect(() => [...new ItemReader().items('policies', [{ no: 1, wireType: 2, data }])]).toThrow(TypeError);
});

test('rejects bytes that end inside a field', () => {
  const data = Uint8Array.from([0x04, 0x0a, 0x08, 0x61, 0x62]);
  expect(() => [...new ItemReader().items('policies', [{ no: 1, wireType: 2, data }])]).toThrow(RangeError);
});
