/** Characters that are invisible, or that change the direction or the joining of other characters. */
const invisible = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}]/u;

const eastAsian = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Bopo}]/u;

/** The scripts of most names, and the scripts with letters that look Latin. */
const scripts: readonly (readonly [name: string, letter: RegExp])[] = [
  ['Latin', /\p{scx=Latn}/u],
  ['Cyrillic', /\p{scx=Cyrl}/u],
  ['Greek', /\p{scx=Grek}/u],
  ['Armenian', /\p{scx=Armn}/u],
  ['Cherokee', /\p{scx=Cher}/u],
  ['Georgian', /\p{scx=Geor}/u],
  ['Hebrew', /\p{scx=Hebr}/u],
  ['Arabic', /\p{scx=Arab}/u],
  ['Devanagari', /\p{scx=Deva}/u],
  ['Thai', /\p{scx=Thai}/u],
  ['East Asian', eastAsian],
];

const scriptOf = (letter: string): string =>
  scripts.find(([, letters]) => letters.test(letter))?.[0] ?? 'another script';

/** The scripts of a name's letters unless they are often combined ("highly restrictive" of UTS 39). */
function mixedScripts(name: string): readonly string[] {
  const scripts = [...new Set([...new Set(name.match(/\p{L}/gu))].map(scriptOf))].sort();
  return scripts.length > 1 && scripts.join() !== 'East Asian,Latin' ? scripts : [];
}

const codePoint = (char: string): string =>
  `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/** The reason why a name may be mistaken for another (invisible characters, letters of several scripts), if any. */
export function deceptionOf(name: string): string | undefined {
  if (/^[\x20-\x7e]*$/.test(name)) return undefined;
  const hidden = invisible.exec(name)?.[0];
  if (hidden !== undefined) return `holds ${codePoint(hidden)}, which is not visible or changes the direction`;
  if (name !== name.normalize('NFC')) return 'is not in the Unicode form NFC: the services compare bytes';
  const scripts = mixedScripts(name);
  return scripts.length > 0 ? `mixes letters of ${scripts.join(' and ')}` : undefined;
}
