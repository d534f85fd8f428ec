import type { RequestLine } from './raw-requests.ts';

const hex = (text: string) => [...new TextEncoder().encode(text)].map((byte) => byte.toString(16).padStart(2, '0'));
const escapes = (text: string) =>
  hex(text)
    .map((byte) => `%${byte}`)
    .join('');

/** The ways to write a character of a path that a router, a proxy or a parser of URLs may take for the same one. */
function writings(char: string): string[] {
  const code = char.codePointAt(0) ?? 0;
  return [
    escapes(char).toUpperCase(),
    escapes(char),
    escapes(char).replaceAll('%', '%25'),
    char.toUpperCase(),
    char.toLowerCase(),
    escapes(char.toUpperCase()),
    escapes(char.normalize('NFD')),
    // Full width, which is the same in the form NFKC.
    code > 0x20 && code < 0x7f ? escapes(String.fromCodePoint(code + 0xfee0)) : char,
  ];
}

/** Texts between characters that routers may end a path at, resolve or leave out. */
const insertions = [
  '/',
  '//',
  '/.',
  '/..',
  '.',
  ';x',
  // Next cuts it off in some places.
  '.rsc',
  '%2F',
  '%5C',
  '\\',
  '%00',
  '%3B',
  '%3F',
  '%23',
  '?x',
  '#x',
  '+',
  '%20',
  ' ',
  '%',
];

/** The places in a path at which something is inserted: beside all that is neither a letter nor a digit, and the end. */
const isPlace = (chars: readonly string[], index: number) =>
  [chars[index], chars[index + 1] ?? '/'].some((char) => /[^a-z0-9]/i.test(char ?? ''));

/** A path, and the same with each character written differently and each insertion in each place. */
function variantsOf(path: string): string[] {
  const chars = [...path];
  const at = (index: number, text: string) => [...chars.slice(0, index), text, ...chars.slice(index + 1)].join('');
  const replaced = chars.flatMap((char, index) => writings(char).map((text) => at(index, text)));
  const inserted = chars.flatMap((char, index) =>
    isPlace(chars, index) ? insertions.map((text) => at(index, char + text)) : [],
  );
  return [path, ...replaced, ...inserted];
}

/** The requests for paths: every variant by GET, and plain ones also by other methods and as absolute URLs. */
export function requestLines(paths: readonly string[], mount: string): RequestLine[] {
  const targets = paths.flatMap(variantsOf).map((path) => mount + path);
  const whole = paths.map((path) => mount + path);
  const lines = [
    ...targets.map((path): RequestLine => `GET ${path}`),
    ...targets.filter((_, index) => index % 7 === 0).map((path): RequestLine => `HEAD ${path}`),
    ...whole.flatMap((path): RequestLine[] => [`HEAD ${path}`, `POST ${path}`]),
    ...whole.flatMap((path): RequestLine[] =>
      [
        `http://service.test${path}`,
        `HTTP://service.test:80${path}`,
        `http://a@service.test${path}`,
        `http:/${path}`,
        `//service.test${path}`,
      ].map((target) => `GET ${target}` as const),
    ),
  ];
  return [...new Set(lines)];
}
