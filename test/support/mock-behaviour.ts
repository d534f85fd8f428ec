import type { Check } from './behaviour/check.ts';
import { databaseChecks } from './behaviour/database.ts';
import { faultChecks } from './behaviour/faults.ts';
import { kitChecks } from './behaviour/kit.ts';
import { serviceChecks } from './behaviour/services.ts';

/** The behaviour of a mock through every adapter: `mock.fetch`, msw in Node, msw in a browser, the port. */
export const checks: readonly Check[] = [...serviceChecks, ...databaseChecks, ...kitChecks, ...faultChecks];
