import fc from 'fast-check';
import { typesOf } from '../../../../src/base/openapi-document/document-parameters.ts';
import { follow, variantsOf } from '../../../../src/base/openapi-document/reference.ts';

type Fields = Readonly<Record<string, unknown>>;
const number = (value: unknown, otherwise: number) => (typeof value === 'number' ? value : otherwise);

const formats: Readonly<Record<string, fc.Arbitrary<string>>> = {
  'date-time': fc
    .date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true })
    .map((date) => date.toISOString()),
  date: fc
    .date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10)),
  uuid: fc.uuid(),
  email: fc.constantFrom('a@example.com', 'first.last@example.org'),
  uri: fc.constantFrom('https://example.com/a?b=c', 'http://localhost/x'),
  url: fc.constantFrom('https://example.com/a'),
  'uri-reference': fc.constantFrom('/a/b'),
  hostname: fc.constantFrom('example.com'),
  ipv4: fc.ipV4(),
  ipv6: fc.constantFrom('2001:db8::1'),
  time: fc.constantFrom('12:30:00Z'),
  duration: fc.constantFrom('P1D', 'PT3S'),
  byte: fc.base64String({ minLength: 4, maxLength: 8 }),
};

/** Texts that services see, with the characters of the styles among them. */
const words = fc.oneof(
  fc.stringMatching(/^[a-z][a-z0-9]{0,7}$/),
  fc.constantFrom('größe', 'a,b', 'a|b', 'a b', 'a=b', 'a&b', 'a+b', '50%', 'a.b', 'x;y', '[x]', '@me', 'a/b', "it's"),
);

function textOf({ pattern, format, minLength, maxLength }: Fields): fc.Arbitrary<string> {
  const [least, most] = [number(minLength, 0), number(maxLength, 1_000)];
  if (typeof pattern === 'string')
    return fc
      .stringMatching(new RegExp(pattern, 'u'), { maxLength: Math.min(most, 40) })
      .filter((text) => text.length >= least);
  const known = typeof format === 'string' ? formats[format] : undefined;
  if (known !== undefined) return known;
  const long = fc.stringMatching(
    new RegExp(`^[a-z]{${Math.max(least, 1)},${Math.max(Math.min(most, least + 8), 1)}}$`),
  );
  return least > 4 || most < 6 ? long : words;
}

function numberOf({
  minimum,
  maximum,
  exclusiveMinimum,
  exclusiveMaximum,
  multipleOf,
  type,
}: Fields): fc.Arbitrary<number> {
  const step = number(multipleOf, 1);
  const low =
    typeof exclusiveMinimum === 'number'
      ? exclusiveMinimum + step
      : number(minimum, -5) + (exclusiveMinimum === true ? step : 0);
  const high =
    typeof exclusiveMaximum === 'number'
      ? exclusiveMaximum - step
      : number(maximum, Math.max(low, 0) + 1_000) - (exclusiveMaximum === true ? step : 0);
  if (step < 1) return fc.constant(Math.ceil(low));
  if (type === 'number' && high - low < 1) return fc.constantFrom(low, high);
  const bound = (value: number) => Math.max(Math.min(value, 2 ** 31 - 1), -(2 ** 31));
  const from = bound(Math.ceil(low / step));
  return fc
    .integer({ min: from, max: Math.max(bound(Math.floor(Math.min(high, low + 1e6) / step)), from) })
    .map((n) => n * step);
}

/** Values of a document's schemas; `hidden` names the flag of properties that this direction does not have. */
export function valuesOf(
  document: unknown,
  schema: unknown,
  hidden: 'readOnly' | 'writeOnly',
  depth = 0,
): fc.Arbitrary<unknown> {
  if (depth > 12) return fc.constant(null);
  const variants = variantsOf(document, schema);
  return fc.oneof(...variants.map((variant) => ofVariant(document, variant, hidden, depth)));
}

function ofVariant(
  document: unknown,
  variant: Fields,
  hidden: 'readOnly' | 'writeOnly',
  depth: number,
): fc.Arbitrary<unknown> {
  if (variant.const !== undefined) return fc.constant(variant.const);
  if (Array.isArray(variant.enum)) return fc.constantFrom(...(variant.enum as unknown[]));
  const types = typesOf(variant);
  const named = types.filter((type) => type !== 'null');
  if (named.length === 0) return fc.constant(null);
  return fc.oneof(
    ...named.map((type): fc.Arbitrary<unknown> => {
      if (type === 'boolean') return fc.boolean();
      if (type === 'integer' || type === 'number') return numberOf({ ...variant, type });
      if (type === 'array') {
        const least = number(variant.minItems, depth > 4 ? 0 : 1);
        const bounds = {
          minLength: least,
          maxLength: Math.max(least, Math.min(number(variant.maxItems, 2), depth > 4 ? least : 2)),
        };
        const item = valuesOf(document, variant.items, hidden, depth + 1);
        return variant.uniqueItems === true
          ? fc.uniqueArray(item, { ...bounds, selector: (one) => JSON.stringify(one) })
          : fc.array(item, bounds);
      }
      if (type === 'object') return objectOf(document, variant, hidden, depth);
      return textOf(variant);
    }),
  );
}

function objectOf(
  document: unknown,
  { properties, required, minProperties, additionalProperties }: Fields,
  hidden: 'readOnly' | 'writeOnly',
  depth: number,
) {
  const needed = new Set(Array.isArray(required) ? required.map(String) : []);
  const entries = Object.entries(Object(properties) as Fields).filter(([name, one]) => {
    const isHidden = follow(document, one)?.[hidden] === true;
    return !isHidden && (needed.has(name) || depth < 3);
  });
  for (const name of needed)
    if (!Object.hasOwn(Object(properties), name)) entries.push([name, Object(additionalProperties)]);
  const model = Object.fromEntries(entries.map(([name, one]) => [name, valuesOf(document, one, hidden, depth + 1)]));
  const isMap = entries.length === 0 && additionalProperties !== false;
  if (isMap)
    return fc.dictionary(
      fc.stringMatching(/^[a-z]{1,6}$/),
      valuesOf(document, Object(additionalProperties), hidden, depth + 1),
      { minKeys: Math.max(number(minProperties, 1), 1), maxKeys: 2, noNullPrototype: true },
    );
  return fc.record(model, {
    requiredKeys: entries.flatMap(([name]) => (needed.has(name) || minProperties !== undefined ? [name] : [])),
    noNullPrototype: true,
  });
}
