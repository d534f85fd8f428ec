import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface FieldProps {
  readonly label: string;
  readonly value: string;
  onValue(value: string): void;
  readonly hint?: string | undefined;
  readonly placeholder?: string | undefined;
  readonly options?: readonly string[] | undefined;
  readonly problem?: string | undefined;
  readonly mono?: boolean;
  readonly type?: 'search' | 'text';
  /** Only screen readers get the label. */
  readonly hidesLabel?: boolean;
}

/** A line of text with a label; `options` are suggested. */
export function TextField({ label, value, onValue, hint, placeholder, options, problem, ...more }: FieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id} class={more.hidesLabel ? 'unseen' : undefined}>
        {label}
      </label>
      <input
        id={id}
        type={more.type ?? 'text'}
        class={more.mono ? 'mono' : undefined}
        value={value}
        placeholder={placeholder}
        list={options === undefined ? undefined : `${id}-options`}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        aria-invalid={problem !== undefined}
        aria-describedby={(problem ?? hint) === undefined ? undefined : `${id}-hint`}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
      {options && (
        <datalist id={`${id}-options`}>
          {options.map((option) => (
            <option key={option} value={option} />
          ))}
        </datalist>
      )}
      {(problem ?? hint) && <small id={`${id}-hint`}>{problem ?? hint}</small>}
    </div>
  );
}

interface AreaProps {
  readonly label: string;
  readonly value: string;
  onValue(value: string): void;
  readonly placeholder?: string | undefined;
  readonly rows?: number;
  readonly hint?: string | undefined;
}

export function AreaField({ label, value, onValue, placeholder, rows = 3, hint }: AreaProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        rows={rows}
        value={value}
        placeholder={placeholder}
        autocomplete="off"
        spellcheck={false}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
      {hint && <small id={`${id}-hint`}>{hint}</small>}
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  onValue(value: string): void;
  readonly choices: readonly (readonly [value: string, text: string])[];
}

export function Choice({ label, value, onValue, choices }: ChoiceProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onValue(event.currentTarget.value)}>
        {choices.map(([choice, text]) => (
          <option key={choice} value={choice}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

interface CheckProps {
  readonly label: string;
  readonly checked: boolean;
  onChecked(checked: boolean): void;
}

export function Check({ label, checked, onChecked }: CheckProps) {
  return (
    <label class="check">
      <input type="checkbox" checked={checked} onChange={(event) => onChecked(event.currentTarget.checked)} />
      {label}
    </label>
  );
}

interface FormProps {
  readonly look?: string;
  readonly label?: string;
  onSend(): unknown;
  readonly children: ComponentChildren;
}

/** A form that the page itself sends. */
export function Form({ look = 'stack', label, onSend, children }: FormProps) {
  const send = (event: SubmitEvent) => {
    event.preventDefault();
    void onSend();
  };
  return (
    <form class={look} aria-label={label} onSubmit={send}>
      {children}
    </form>
  );
}
