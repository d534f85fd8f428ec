/** A question and its decision, as the platform logs it. */
interface PlatformQuestion {
  readonly user: string;
  readonly roles: readonly string[];
  readonly action: string;
  readonly resource: string;
  readonly granted: boolean;
}

const time = '2026-11-23T04:06:12Z';

/** A JSON line, as zerolog writes it: two keys `message`. */
export function jsonLine({ user, roles, action, resource, granted }: PlatformQuestion): string {
  const text = JSON.stringify;
  const [first, last] = granted ? ['Access Granted', 'Access Granted'] : ['Permission denied', 'Access Denied'];
  return (
    `{"level":"info","method":"Permissive.Evaluate","user":${text(user)},"action":${text(action)},` +
    `"resource":${text(resource)},"roles":${text(roles)},"context":"null","message":"${first}","time":"${time}","message":"${last}"}`
  );
}

/** A pretty line, as zerolog's console writer does it. */
export function prettyLine({ user, roles, action, resource, granted }: PlatformQuestion): string {
  const list = JSON.stringify(roles).replace(/[<>&\u2028\u2029]/g, (character) => `\\u${hex(character, 4)}`);
  return (
    `${time} INF Access ${granted ? 'Granted' : 'Denied'} action=${quoteGo(action)} context=null ` +
    `method=Permissive.Evaluate resource=${quoteGo(resource)} roles=${list} user=${quoteGo(user)}`
  );
}

const hex = (character: string, digits: number): string =>
  (character.codePointAt(0) ?? 0).toString(16).padStart(digits, '0');
const short = new Map([...'abfnrtv'].map((letter, index) => ['\x07\b\f\n\r\t\v'[index], `\\${letter}`]));

/** Quotes a value as Go's `strconv.Quote` does, if the console writer would. */
function quoteGo(text: string): string {
  if (/^[!#-[\]-~]*$/.test(text)) return text;
  return `"${Array.from(text, quoteCharacter).join('')}"`;
}

function quoteCharacter(character: string): string {
  if (character === '"' || character === '\\') return `\\${character}`;
  const letter = short.get(character);
  if (letter !== undefined) return letter;
  if (character < ' ' || character === '\x7f') return `\\x${hex(character, 2)}`;
  if (/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(character)) return character;
  return character.length > 1 ? `\\U${hex(character, 8)}` : `\\u${hex(character, 4)}`;
}
