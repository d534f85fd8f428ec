import { counted } from '../../base/lib/counted.js';

/** Limits in characters for one line and for the whole Markdown text: a GitHub comment may have 65 536. */
const [mostInLine, mostInMarkdown] = [500, 59_000];

/** Formats lines as a pull request comment: the summary, then a `diff` block that colors added and removed lines. */
export function toMarkdown(summary: string, lines: readonly string[]): string {
  if (lines.length === 0) return summary;
  let left = mostInMarkdown;
  const firstLines: string[] = [];
  for (const line of lines) {
    // A `diff` block colors lines by their first character and does not know "~".
    const text = line.replace(/^( *)([+~-]) /, (_, spaces, sign) => `${sign === '~' ? '!' : sign}${spaces} `);
    const short = text.length > mostInLine ? `${text.slice(0, mostInLine).toWellFormed()}…` : text;
    left -= short.length + 1;
    if (left < 0) break;
    firstLines.push(short);
  }
  const rest = lines.length - firstLines.length;
  const more = rest > 0 ? ['', `${counted(rest, 'more line')}: see the details (--details).`] : [];
  return [`**${summary}**`, '', '````diff', ...firstLines, '````', ...more].join('\n');
}
