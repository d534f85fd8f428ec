import type { DescField } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { poolKinds, poolMethods, poolService } from '../../../src/policy/pool/pool-items.ts';
import { poolFile } from '../../../src/policy/pool/pool-service.ts';
import { poolProto } from '../../support/pool-client.ts';

// Compares the committed code with the proto, read by an independent parser: finds a forgotten `npm run generate`.

interface Named {
  readonly name: string;
}
interface ProtoField extends Named {
  readonly number: number;
  readonly label: string;
  readonly type: string;
  readonly typeName: string;
}

// The cast: the parser types protobuf's descriptors as plain objects.
const typeOf = (name: string) =>
  (poolProto[`service.${name}`] as unknown as { type: { field: ProtoField[]; value: (Named & { number: number })[] } })
    .type;

const scalars: Readonly<Record<number, string>> = { 9: 'TYPE_STRING', 13: 'TYPE_UINT32' };
const lastPart = (name: string) => name.split('.').at(-1) ?? '';

/** A field of the generated code in the format of the proto. */
function describeField(field: DescField): ProtoField {
  const { name, number, message, enum: choice, scalar } = field;
  return {
    name,
    number,
    label: field.fieldKind === 'list' ? 'LABEL_REPEATED' : 'LABEL_OPTIONAL',
    type: message ? 'TYPE_MESSAGE' : choice ? 'TYPE_ENUM' : (scalars[scalar ?? 0] ?? String(scalar)),
    typeName: message?.name ?? choice?.name ?? '',
  };
}

test('messages have the fields of the proto: names, numbers and types', () => {
  const messages = Object.keys(poolProto).filter(
    (name) => name.startsWith('service.') && typeOf(lastPart(name))?.field,
  );
  expect(poolFile.messages.map(({ typeName }) => typeName).sort()).toEqual(messages.sort());
  for (const { name, fields } of poolFile.messages) {
    const proto = typeOf(name).field.map(({ name, number, label, type, typeName }) => ({
      name,
      number,
      label,
      type,
      typeName: lastPart(typeName),
    }));
    expect(fields.map(describeField), name).toEqual(proto);
  }
});

test('the enum has the names and numbers of the proto', () => {
  const [effect, ...more] = poolFile.enums;
  expect(more).toEqual([]);
  expect(effect?.values.map(({ name, number }) => ({ name, number }))).toEqual(
    typeOf('Effect').value.map(({ name, number }) => ({ name, number })),
  );
});

test('the service has the calls of the proto: paths, requests, responses and streaming', () => {
  const proto = Object.values(poolProto[poolService] as object).map((method) => [
    method.path,
    method.requestType.type.name,
    method.responseType.type.name,
    method.requestStream,
    method.responseStream,
  ]);
  const generated = poolFile.services
    .flatMap(({ methods }) => methods)
    .map(({ parent, name, input, output, methodKind }) => [
      `/${parent.typeName}/${name}`,
      input.name,
      output.name,
      false,
      methodKind === 'server_streaming',
    ]);
  expect(generated).toEqual(proto);
  const ours = poolKinds.flatMap((kind) => Object.values(poolMethods[kind]).map((name) => `/${poolService}/${name}`));
  expect(ours.sort()).toEqual(proto.map(([path]) => path).sort());
});
