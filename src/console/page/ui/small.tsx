import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** The state of a decision: an Allow, a Deny, or a Deny by a statement. */
export function DecisionBadge({ decision, explicit = false }: { decision: string | undefined; explicit?: boolean }) {
  if (decision === undefined) return null;
  const text = decision === 'Deny' && explicit ? 'Explicit Deny' : decision;
  return <span class={`badge ${decision === 'Allow' ? 'allow' : 'deny'}`}>{text}</span>;
}

/** Says that there is nothing to show, and how to change that. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}

/** A problem in words, read out at once. */
export function Problem({ text }: { text: string | undefined }) {
  return text === undefined ? null : (
    <p class="problem deny" role="alert">
      {text}
    </p>
  );
}

/** A button that copies text and says so. */
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
