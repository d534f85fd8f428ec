import { expect } from 'vitest';
import { permissionMatchers } from '../../../src/permissions/matchers/index.ts';
import { createEvaluator } from '../../../src/policy/index.ts';

// Type tests: tsc alone reads this file.
expect.extend(permissionMatchers);
const state = createEvaluator();
expect(state).toAllow({ user: 'alice', action: 'orders:read', resource: 'order:7' });
expect(state).not.toDeny({ roles: ['viewer'], action: 'orders:read', resource: 'order:7' });
// @ts-expect-error a misspelt field
expect(state).toAllow({ usr: 'alice', action: 'orders:read', resource: 'order:7' });
// @ts-expect-error no resource
expect(state).toDeny({ user: 'alice', action: 'orders:read' });
