import { type FormEvent, useState } from 'react';
import { session } from './platform.ts';
import { dismissToasts, toastError } from './toasts.tsx';

export function SignIn() {
  const [busy, setBusy] = useState(false);

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setBusy(true);
    try {
      await session.signIn({ username: String(form.get('username')), password: String(form.get('password')) });
      dismissToasts();
    } catch (error) {
      toastError(error);
      setBusy(false);
    }
  }

  return (
    <form onSubmit={submit}>
      <label>
        Name <input name="username" autoComplete="username" required />
      </label>
      <label>
        Password <input name="password" type="password" autoComplete="current-password" required />
      </label>
      <button type="submit" disabled={busy}>
        Sign in
      </button>
    </form>
  );
}
