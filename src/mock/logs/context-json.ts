import { byCodePoint } from '../../base/lib/code-points.js';
import { escapeUnits } from '../../base/lib/text/printable.js';
import { isObject } from '../../base/lib/values.js';

/** The characters that Go's `json.Marshal` escapes beyond those of JSON. */
const escaped = /[<>&\u2028\u2029]/g;

/** The values of one parameter, which Go leaves out if there are none. */
const valuesOf = (parameter: unknown): readonly unknown[] =>
  isObject(parameter) && Array.isArray(parameter.values) ? parameter.values : [];

/** Formats a context as Go's `json.Marshal`: its parameters by name, or `null`. `html` escapes HTML's characters. */
export function contextJson(context: unknown, html: boolean): string {
  if (!isObject(context)) return 'null';
  const parameters = isObject(context.parameters) ? Object.entries(context.parameters) : [];
  const members = parameters
    .sort(([a], [b]) => byCodePoint(a, b))
    .map(([name, parameter]) => {
      const values = valuesOf(parameter);
      return `${JSON.stringify(name)}:${values.length === 0 ? '{}' : `{"values":${JSON.stringify(values)}}`}`;
    });
  const text = members.length === 0 ? '{}' : `{"parameters":{${members.join()}}}`;
  return text.replace(html ? escaped : /[\u2028\u2029]/g, escapeUnits);
}
