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
export interface StyledParameter {
  readonly name: string;
  readonly in: ParameterPlace;
  readonly style: ParameterStyle;
}

/** The kinds of values that the specification's table tells apart. */
export type Shape = 'value' | 'list' | 'object';

const places = /^(?:path|query|header|cookie)$/;
const inQuery = /^\+?(?:form\*?|(?:space|pipe)Delimited|deepObject\*)$/;
const elsewhere = /^(?:path (?:matrix|label|simple)\*?|header simple\*?|cookie form\*?|.* json)$/;

export const isPlace = (place: unknown): place is ParameterPlace => typeof place === 'string' && places.test(place);

/** The style of parameters that name none. */
export const usualStyle = (place: ParameterPlace) => (/^[qc]/.test(place) ? 'form*' : 'simple');

/** The style of a parameter without `content`, as RFC 6570 writes it: `form*`. */
export function styleOf(place: ParameterPlace, parameter: Readonly<Record<string, unknown>>): string {
  const { style = usualStyle(place).replace('*', ''), explode, allowReserved } = parameter;
  const isExploded = typeof explode === 'boolean' ? explode : /^(?:form|deepObject)$/.test(`${style}`);
  return `${place === 'query' && allowReserved === true ? '+' : ''}${style}${isExploded ? '*' : ''}`;
}

/** True for a style that the specification has for a place. */
export const isStyle = (place: ParameterPlace, style: unknown): style is ParameterStyle =>
  typeof style === 'string' && (elsewhere.test(`${place} ${style}`) || (place === 'query' && inQuery.test(style)));

/** True if the specification's table has the shape for a style. A cookie holds no `&` that would separate more. */
export function takesShape({ in: place, style }: StyledParameter, shape: Shape): boolean {
  if (style.includes('deepObject')) return shape === 'object';
  return shape === 'value' ? !style.includes('Delimited') : place !== 'cookie' || style === 'form' || style === 'json';
}

/** The delimiter of the items or the fields of a parameter; the writer takes the first of several. */
export const delimiterOf = (style: ParameterStyle): RegExp | string =>
  style.includes('space') ? /%20|\+/ : style.includes('pipe') ? /%7C|\|/i : style === 'label*' ? '.' : ',';

/** The refusal of a parameter, which names it and its place. */
export const refusal = ({ in: place, name }: StyledParameter, problem: string): InvalidArgumentError =>
  new InvalidArgumentError(`${place}.${name}`, problem);
