import { useId, useState } from 'preact/hooks';
import { Form } from './ui/field.js';
import { Problem } from './ui/small.js';

interface KeyFormProps {
  readonly problem: string | undefined;
  onKey(key: string): Promise<void>;
}

/** Asks for the key that the command printed. The key is not stored. */
export function KeyForm({ problem, onKey }: KeyFormProps) {
  const id = useId();
  const [key, setKey] = useState('');
  return (
    <main class="sign-in">
      <Form onSend={() => onKey(key.trim())}>
        <h1>Key of the console</h1>
        <p class="quiet">The command printed it when it started.</p>
        <div class="field">
          <label for={id}>Key</label>
          <input
            id={id}
            type="password"
            autocomplete="off"
            value={key}
            onInput={(event) => setKey(event.currentTarget.value)}
          />
        </div>
        <Problem text={problem} />
        <button type="submit" class="primary" disabled={key.trim() === ''}>
          Open
        </button>
      </Form>
    </main>
  );
}
