/** Characters that XML 1.0 cannot contain, not even escaped, or that a page obeys. */
const notXml = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\ufffe\uffff]/gu;
const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\r': '&#13;',
};

/** Escapes text for the content of an element. */
export const escapeXml = (text: string): string =>
  text.replace(notXml, '\ufffd').replace(/[&<>"\t\r]/g, (character) => escapes[character] ?? '');

/** Writes an attribute. XML parsers replace unescaped white space in attributes by spaces. */
export const xmlAttribute = (name: string, value: string | number): string =>
  ` ${name}="${escapeXml(String(value)).replaceAll('\n', '&#10;')}"`;
