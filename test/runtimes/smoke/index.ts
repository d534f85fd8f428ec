import { bodyChecks } from './bodies.ts';
import type { Smoke } from './check.ts';
import { failureChecks } from './failures.ts';
import { localChecks } from './local.ts';
import { requestChecks } from './requests.ts';
import { serviceChecks } from './services.ts';
import { sessionChecks } from './sessions.ts';

/** All checks that must pass in every runtime. */
export const smoke: readonly Smoke[] = [
  ...requestChecks,
  ...bodyChecks,
  ...failureChecks,
  ...serviceChecks,
  ...sessionChecks,
  ...localChecks,
];
