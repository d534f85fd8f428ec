import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** Shows a decision as Allow, as Deny by default or as Deny by a statement. */
export function DecisionBadge({ decision, explicit = false }: { decision: string | undefined; explicit?: boolean }) {
  if (decision === undefined) return null;
  const text = decision === 'Deny' && explicit ? 'Explicit Deny' : decision;
  return <span class={`badge ${decision === 'Allow' ? 'allow' : 'deny'}`}>{text}</span>;
}

/** Shown in place of an empty list; the children say how to fill it. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}

/** Shows a problem; screen readers announce it at once. */
export function Problem({ text }: { text: string | undefined }) {
  return text === undefined ? null : (
    <p class="problem deny" role="alert">
      {text}
    </p>
  );
}

/** Copies text to the clipboard and confirms it on the button. */
export function CopyButton({ label, text }: { label: string; text: () => string | Promise<string> }) {
  const [state, setState] = useState('');
  useEffect(() => {
    if (state === '') return;
    const timer = setTimeout(() => setState(''), 2_000);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(await text());
      setState('Copied');
    } catch {
      setState('Not copied: the browser refused');
    }
  };
  return (
    <>
      <button type="button" onClick={copy}>
        {state === '' ? label : state}
      </button>
      <span class="unseen" aria-live="polite">
        {state === '' ? '' : `${label}: ${state}`}
      </span>
    </>
  );
}

/** The headings of a table of counts, each with its class. */
export function Heads({ columns }: { columns: readonly (readonly [text: string, look?: string])[] }) {
  return (
    <thead>
      <tr>
        {columns.map(([text, look]) => (
          <th key={text} scope="col" class={look}>
            {text}
          </th>
        ))}
      </tr>
    </thead>
  );
}

/** A row of a list of facts. */
export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

/** A moment in words that a program can read, too. */
export const Time = ({ time }: { time: string }) => (
  <time dateTime={time}>{time.replace('T', ' ').replace(/\.\d+Z|Z/, ' UTC')}</time>
);
