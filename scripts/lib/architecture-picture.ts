import { readdirSync } from 'node:fs';
import { root } from './exec.ts';

/** The imports of each wing: `wingGraph`. */
type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** The place of a wing, in rows and columns of the picture. */
interface Place {
  readonly row: number;
  readonly rows?: number;
  readonly column: number;
  readonly columns: number;
}

interface Box {
  readonly wing: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const page = { width: 880, margin: 12, columns: 12, gap: 20, row: 74, between: 28 };

/** Each wing above those that it imports, placed so that every arrow goes straight down. */
const places: ReadonlyMap<string, Place> = new Map([
  ['tools', { row: 0, column: 0, columns: 12 }],
  ['console', { row: 1, column: 3, columns: 9 }],
  ['enforce', { row: 2, column: 0, columns: 3 }],
  ['permissions', { row: 2, column: 3, columns: 4 }],
  ['mock', { row: 2, rows: 2, column: 7, columns: 5 }],
  ['client', { row: 3, column: 0, columns: 7 }],
  ['policy', { row: 4, column: 0, columns: 12 }],
  ['base', { row: 5, column: 0, columns: 12 }],
]);

/** The wings that the package exists for; the others stand around them. */
const core: ReadonlySet<string> = new Set(['client', 'mock']);

/** The imports that no longer way through other wings implies. */
function directImports(graph: Graph, wing: string): string[] {
  const used = [...(graph.get(wing) ?? [])];
  const reaches = (from: string, to: string): boolean =>
    [...(graph.get(from) ?? [])].some((next) => next === to || reaches(next, to));
  return used.filter((to) => !used.some((other) => reaches(other, to))).sort();
}

function boxOf(wing: string): Box {
  const place = places.get(wing);
  if (place === undefined) throw new Error(`scripts/lib/architecture-picture.ts has no place for the wing ${wing}`);
  const { row, rows = 1, column, columns } = place;
  const unit = (page.width - 2 * page.margin + page.gap) / page.columns;
  return {
    wing,
    x: page.margin + column * unit,
    y: page.margin + row * (page.row + page.between),
    width: columns * unit - page.gap,
    height: rows * page.row + (rows - 1) * page.between,
  };
}

/** The rooms of a wing, its folders, in lines that fit a width. */
function roomLines(wing: string, width: number): string[] {
  const rooms = readdirSync(`${root}src/${wing}`, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
  const longest = Math.floor((width - 20) / 6);
  const lines: string[] = [];
  for (const room of rooms) {
    const line = lines.at(-1);
    if (line !== undefined && `${line} · ${room}`.length <= longest) lines[lines.length - 1] = `${line} · ${room}`;
    else lines.push(room);
  }
  return lines;
}

function drawBox({ wing, x, y, width, height }: Box): string {
  const rooms = roomLines(wing, width).map(
    (line, index) => `  <text class="text" x="${x + 12}" y="${y + 40 + index * 15}">${line}</text>`,
  );
  return [
    `  <rect class="${core.has(wing) ? 'box core' : 'box'}" x="${x}" y="${y}" width="${width}" height="${height}" rx="6" />`,
    `  <text class="name" x="${x + 12}" y="${y + 22}">${wing}</text>`,
    ...rooms,
  ].join('\n');
}

/** An arrow straight down, in the middle of the width that both boxes have. */
function drawArrow(from: Box, to: Box): string {
  const [left, right] = [Math.max(from.x, to.x), Math.min(from.x + from.width, to.x + to.width)];
  if (left >= right || to.y <= from.y) throw new Error(`the picture has no way from ${from.wing} down to ${to.wing}`);
  const x = (left + right) / 2;
  return `  <path class="line" d="M${x} ${from.y + from.height} V${to.y - 2}" marker-end="url(#tip)" />`;
}

/** Draws the wings of `src` as an SVG: each above those that it imports, with its rooms. */
export function drawArchitecture(graph: Graph): string {
  const boxes = [...graph.keys()].map(boxOf).sort((a, b) => a.y - b.y || a.x - b.x);
  const height = Math.max(...boxes.map((box) => box.y + box.height)) + page.margin;
  const arrows = boxes.flatMap((from) => directImports(graph, from.wing).map((to) => drawArrow(from, boxOf(to))));
  const imports = boxes.map(({ wing }) => `${wing} on ${directImports(graph, wing).join(' and ') || 'nothing'}`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${page.width} ${height}" role="img"
  aria-labelledby="title desc" font-family="system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif">
  <!-- Written by npm run graph. -->
  <title id="title">The wings of src</title>
  <desc id="desc">Each wing stands on those that it imports: ${imports.join(', ')}.</desc>
  <style>
    .box { fill: #ffffff; stroke: #8c959f; }
    .core { stroke: #0969da; stroke-width: 2; }
    .name { fill: #1f2328; font-size: 15px; font-weight: 600; }
    .text { fill: #57606a; font-size: 12px; }
    .line { stroke: #57606a; stroke-width: 1.5; }
    .tip { fill: #57606a; }
    @media (prefers-color-scheme: dark) {
      .box { fill: #0d1117; stroke: #6e7681; }
      .core { stroke: #4493f8; }
      .name { fill: #e6edf3; }
      .text { fill: #9ea7b3; }
      .line { stroke: #9198a1; }
      .tip { fill: #9198a1; }
    }
  </style>
  <defs>
    <marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto">
      <path class="tip" d="M0 0 L10 5 L0 10 z" />
    </marker>
  </defs>
${boxes.map(drawBox).join('\n')}
${arrows.join('\n')}
</svg>
`;
}
