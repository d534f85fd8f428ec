import { InvalidArgumentError } from '../errors.js';

/** The places of parameters. */
export type ParameterPlace = 'path' | 'query' | 'header' | 'cookie';

/**
 * How a parameter is written: its `style`, with a `*` if it is exploded and a `+` in front for `allowReserved`, as in
 * the templates of RFC 6570; or `json` for a parameter with a `content` of JSON.
 */
export type ParameterStyle =
  | 'matrix'
  | 'matrix*'
  | 'label'
  | 'label*'
  | 'simple'
  | 'simple*'
  | 'form'
  | 'form*'
  | '+form'
  | '+form*'
  | 'spaceDelimited'
  | '+spaceDelimited'
  | 'pipeDelimited'
  | '+pipeDelimited'
  | 'deepObject*'
  | '+deepObject*'
  | 'json';

/** A parameter, and how it is written. */
export type StyledParameter = { readonly name: string; readonly in: ParameterPlace; readonly style: ParameterStyle };

/** The kinds of values that the specification's table tells apart. */
export type Shape = 'value' | 'list' | 'object';

const allowed: Readonly<Record<ParameterPlace, RegExp>> = {
  path: /^(?:(?:matrix|label|simple)\*?|json)$/,
  query: /^(?:\+?(?:form\*?|(?:space|pipe)Delimited|deepObject\*)|json)$/,
  header: /^(?:simple\*?|json)$/,
  cookie: /^(?:form\*?|json)$/,
};

export const isPlace = (place: unknown): place is ParameterPlace =>
  typeof place === 'string' && Object.hasOwn(allowed, place);

/** The style of parameters that name none. */
export const usualStyle = (place: ParameterPlace) => (/^[qc]/.test(place) ? 'form*' : 'simple');

/** The style as RFC 6570 writes it: `form*`. */
export function styleOf(place: ParameterPlace, parameter: Readonly<Record<string, unknown>>): string {
  const { style, explode, allowReserved, content } = parameter;
  const [type = ''] = Object.keys(Object(content));
  const usual = usualStyle(place).replace('*', '');
  if (content !== undefined) return /[/+]json\s*(?:;|$)/i.test(type) ? 'json' : usual;
  const name = typeof style === 'string' ? style : usual;
  const isExploded = typeof explode === 'boolean' ? explode : name === 'form' || name === 'deepObject';
  return `${place === 'query' && allowReserved === true ? '+' : ''}${name}${isExploded ? '*' : ''}`;
}

/** True for a style that the specification has for a place. */
export const isStyle = (place: ParameterPlace, style: unknown): style is ParameterStyle =>
  typeof style === 'string' && allowed[place].test(style);

/** True if the specification's table has the shape for a style. A cookie holds no `&` that would separate more. */
export function takesShape({ in: place, style }: StyledParameter, shape: Shape): boolean {
  if (style.includes('deepObject')) return shape === 'object';
  return shape === 'value' ? !style.includes('Delimited') : place !== 'cookie' || style === 'form' || style === 'json';
}

/** The separator of the items of a parameter that is not exploded: as it is written, and as it is read. */
export function delimiterOf(style: ParameterStyle): readonly [written: string, read: RegExp] {
  if (style.includes('space')) return ['%20', /%20|\+/];
  return style.includes('pipe') ? ['%7C', /%7C|\|/i] : [',', /,/];
}

/** The refusal of a parameter, which names it and its place. */
export const refusal = ({ in: place, name }: StyledParameter, problem: string): InvalidArgumentError =>
  new InvalidArgumentError(`${place}.${name}`, problem);
