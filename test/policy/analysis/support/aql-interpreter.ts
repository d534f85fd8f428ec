// Evaluates the few parts of AQL that conditions of `toAql` are made of, after their documentation: a missing attribute
// is null, `==` compares texts by code point, LENGTH counts characters or elements, STARTS_WITH compares by code point,
// SUBSTRING with a negative offset takes the end of a text, SPLIT keeps empty parts.

type Value = null | boolean | number | string | readonly Value[] | { readonly [name: string]: Value };

const token = /\s*(&&|\|\||==|>=|[!()[\],.-]|@\w+|`[^`]*`|\d+|[A-Z_]+|true|false)/y;

function tokens(query: string): string[] {
  const found: string[] = [];
  token.lastIndex = 0;
  while (token.lastIndex < query.length) {
    const at = token.lastIndex;
    const match = token.exec(query);
    if (match === null) throw new Error(`not understood: ${query.slice(at)}`);
    found.push(match[1] as string);
  }
  return found;
}

const isText = (value: Value): value is string => typeof value === 'string';
const functions: Readonly<Record<string, (...values: Value[]) => Value>> = {
  IS_STRING: (value = null) => isText(value),
  LENGTH: (value = null) => (isText(value) ? [...value].length : Array.isArray(value) ? value.length : 0),
  STARTS_WITH: (text = null, start = null) => isText(text) && isText(start) && text.startsWith(start),
  SPLIT: (text = null, separator = null) => (isText(text) && isText(separator) ? text.split(separator) : []),
  SUBSTRING: (text = null, offset = null) =>
    isText(text) && typeof offset === 'number' ? [...text].slice(offset).join('') : null,
};

/** The value of a condition for variables and bind variables. Every bind variable must be used, and be there. */
export function evaluateAql(
  query: string,
  bindVars: Readonly<Record<string, unknown>>,
  variables: Readonly<Record<string, Value>>,
): Value {
  const left = tokens(query);
  const unused = new Set(Object.keys(bindVars));
  const take = (expected?: string): string => {
    const next = left.shift();
    if (next === undefined || (expected !== undefined && next !== expected)) {
      throw new Error(`expected ${expected ?? 'more'}, found ${next} in ${query}`);
    }
    return next;
  };
  const list = (end: string): Value[] => {
    const values: Value[] = [];
    while (left[0] !== end) {
      values.push(or());
      if (left[0] === ',') take();
    }
    take(end);
    return values;
  };
  const primary = (): Value => {
    const next = take();
    if (next === '(') {
      const value = or();
      take(')');
      return value;
    }
    if (next === 'true' || next === 'false') return next === 'true';
    if (/^\d/.test(next)) return Number(next);
    if (next.startsWith('@')) {
      const name = next.slice(1);
      unused.delete(name);
      if (!Object.hasOwn(bindVars, name)) throw new Error(`bind variable ${name} is missing`);
      // The cast: conditions bind texts only.
      return bindVars[name] as Value;
    }
    if (next.startsWith('`')) {
      const name = next.slice(1, -1);
      if (!Object.hasOwn(variables, name)) throw new Error(`variable ${name} is missing`);
      return variables[name] as Value;
    }
    const call = functions[next];
    if (call === undefined) throw new Error(`no function ${next}`);
    take('(');
    return call(...list(')'));
  };
  const postfix = (): Value => {
    let value = primary();
    while (left[0] === '.' || left[0] === '[') {
      if (take() === '.') {
        const name = take().slice(1, -1);
        const attributes = typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
        value = new Map<string, Value>(Object.entries(attributes)).get(name) ?? null;
      } else {
        const index = or();
        take(']');
        value = (Array.isArray(value) ? value[Number(index)] : null) ?? null;
      }
    }
    return value;
  };
  const unary = (): Value => {
    if (left[0] === '!') {
      take();
      return !unary();
    }
    if (left[0] === '-') {
      take();
      return -Number(unary());
    }
    return postfix();
  };
  const comparison = (): Value => {
    const value = unary();
    if (left[0] === '==') {
      take();
      return value === unary();
    }
    if (left[0] === '>=') {
      take();
      return Number(value) >= Number(unary());
    }
    return value;
  };
  const and = (): Value => {
    let value = comparison();
    while (left[0] === '&&') {
      take();
      const other = comparison();
      value = value && other;
    }
    return value;
  };
  function or(): Value {
    let value = and();
    while (left[0] === '||') {
      take();
      const other = and();
      value = value || other;
    }
    return value;
  }
  const value = or();
  if (left.length > 0) throw new Error(`left over: ${left.join(' ')}`);
  if (unused.size > 0) throw new Error(`unused bind variables: ${[...unused].join(', ')}`);
  return value;
}
