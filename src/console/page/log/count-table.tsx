import type { ComponentChildren } from 'preact';
import { More } from '../ui/more.js';
import { Heads } from '../ui/small.js';
import { number } from '../ui/words.js';
import type { Part } from './reader-messages.js';

interface Counted {
  readonly denied: number;
  readonly allowed: number;
  readonly lastSeen: string;
}

interface CountTableProps<T extends Counted> {
  readonly title: string;
  /** The noun that counts the rows. */
  readonly noun: string;
  /** The headings of the columns before the counts. */
  readonly columns: readonly string[];
  readonly part: Part<T>;
  keyOf(row: T): string;
  /** The cells before the counts; the first heads its row. */
  cells(row: T): readonly ComponentChildren[];
  onMore(): void;
}

const counts = [
  ['Denied', 'count'],
  ['Allowed', 'count'],
  ['Last', 'seen'],
] as const;

/** A table of decisions, counted for each user, action or whatever its rows stand for; denials come first. */
export function CountTable<T extends Counted>({ title, noun, columns, part, onMore, ...row }: CountTableProps<T>) {
  const { rows, all } = part;
  return (
    <section class="stack tight" aria-label={title}>
      <div class="row">
        <h3>{title}</h3>
        <span class="badge">{number(all)}</span>
      </div>
      <table class="counts" aria-label={title}>
        <Heads columns={[...columns.map((column) => [column] as const), ...counts]} />
        <tbody>
          {rows.map((entry) => {
            const [head, ...more] = row.cells(entry);
            return (
              <tr key={row.keyOf(entry)}>
                <th scope="row">{head}</th>
                {more.map((cell, index) => (
                  <td key={index}>{cell}</td>
                ))}
                <td class={entry.denied > 0 ? 'count denied' : 'count'}>{number(entry.denied)}</td>
                <td class="count">{number(entry.allowed)}</td>
                <td class="seen">{entry.lastSeen}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      <More what={`${noun}s`} shownRows={rows.length} all={all} onMore={onMore} />
    </section>
  );
}
