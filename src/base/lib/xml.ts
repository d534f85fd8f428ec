/** Characters that XML 1.0 cannot contain, not even escaped. */
const notXml = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes text for the content of an element. */
export const escapeXml = (text: string): string =>
  text.replace(notXml, '\ufffd').replace(/[&<>"]/g, (character) => escapes[character] ?? '');

/** Writes an attribute. XML parsers replace unescaped white space in attributes by spaces. */
export const xmlAttribute = (name: string, value: string | number): string =>
  ` ${name}="${escapeXml(String(value)).replace(/[\t\n\r]/g, (one) => `&#${one.charCodeAt(0)};`)}"`;
