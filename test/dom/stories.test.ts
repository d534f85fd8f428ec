import { expect, test } from 'vitest';
import { createPermissionStore, createSession } from '../../src/client/session/index.ts';
import { createClient } from '../../src/index.ts';
import { createMock } from '../../src/mock/index.ts';
import { isolated, tellStories } from '../client/session/stories.ts';

test.each(['memory', 'sessionStorage', 'localStorage'] as const)(
  'of ten stories of one page over %s, none hears another',
  async (store) => {
    const functions = { createClient, createMock, createSession, createPermissionStore };
    expect(await tellStories(functions, store)).toEqual(isolated);
  },
);
