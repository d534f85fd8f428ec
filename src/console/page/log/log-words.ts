import type { Cause, ReplayError, UndecidedReason } from '../../../policy/analysis/index.js';
import type { SkipReason } from '../../../policy/decisions/index.js';
import { shown } from '../ui/words.js';
import type { Who } from './reader-messages.js';

/** The subject of decisions in words. */
export function whoText({ kind, name }: Who): string {
  switch (kind) {
    case 'user':
      return shown(name);
    case 'hash':
      return `hash ${shown(name)}`;
    case 'roles':
      return `requests with ${shown(name)}`;
    case 'superuser':
      return 'the superuser';
  }
}

/** Why lines gave no decision, each as a whole sentence. */
export const skipWords: Readonly<Record<SkipReason, string>> = {
  foreign: 'They are of other programs.',
  event: 'The platform logged something else, such as a changed policy.',
  debug: 'They are steps of evaluations at level debug, without roles and scopes.',
  always: 'They were written under the type always, which evaluates nothing.',
  failed: 'The platform could not evaluate the question.',
  ambiguous: 'The types always and central-permissive write them alike.',
  'other-version': 'They are of a newer version of the format.',
  invalid: 'A field is missing or has another type.',
  incomplete: 'They break off.',
  'too-long': 'They are longer than 1 MiB.',
  'not-utf8': 'They are not UTF-8.',
  damaged: 'The gzip file is damaged behind this line.',
};

export const notReplayedWords: Readonly<Record<ReplayError | UndecidedReason, string>> = {
  failed: 'failed',
  ambiguous: 'do not tell if they were evaluated',
  always: 'were not evaluated, under the type always',
  debug: 'are steps of an evaluation at level debug',
  event: 'are denials of the management service, without roles',
  invalid: 'lack a field, or have one of another type',
  'other-version': 'are of a newer version of the format',
  masked: 'lack the user or another part of the question',
  incomplete: 'break off',
  'too-long': 'are longer than 1 MiB',
  'not-utf8': 'are not UTF-8',
  damaged: 'are the damaged rest of a gzip file',
  dropped: 'stand for decisions that were not written',
  'no-subject': 'name no user',
  'not-known': 'depend on permissions that could not be read',
};

const reasons: Readonly<Record<Cause['reason'], string>> = {
  superuser: 'the superuser may do everything',
  allowed: 'allowed',
  'explicit-deny': 'denied',
  'nothing-allows': 'no statement allows it',
  'no-binding': 'the user has no binding',
  'empty-user': 'the user is empty',
  'empty-action': 'the action is empty',
};

/** The statement or the reason behind a decision, in words. */
export function causeText({ reason, role, policy, statement }: Cause): string {
  if (role === undefined || statement === undefined) return reasons[reason];
  const where = policy === undefined ? 'the scope' : `policy ${shown(policy)}`;
  return `${reasons[reason]} by statement ${statement + 1} of ${where}, role ${shown(role)}`;
}

const units = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const;

/** A length of time in words, like `10 min`. */
export function widthText(ms: number): string {
  const [length, unit] = units.find(([unitMs]) => ms >= unitMs) ?? units[3];
  return `${ms / length} ${unit}`;
}

/** A time in UTC, as exact as intervals of a width need it. */
export function timeText(ms: number, widthMs: number): string {
  const length = widthMs < 60_000 ? 19 : widthMs < 86_400_000 ? 16 : 10;
  return new Date(ms).toISOString().slice(0, length).replace('T', ' ');
}
