import { describe, expect, test } from 'vitest';
import { isSuperuser, NotValid, readOwner, subjectOf } from '../../../src/policy/model/subject.ts';

describe('the superuser', () => {
  test.each<[user: string | undefined, groups: string[], rolesMakeSubject: boolean, expected: boolean]>([
    [undefined, [], true, true],
    [undefined, [], false, true],
    [undefined, ['g'], true, false],
    [undefined, ['g'], false, true],
    ['', [], false, false],
    ['alice', [], false, false],
  ])('user %j with groups %j, roles make a subject: %j → %j', (user, groups, rolesMakeSubject, expected) => {
    expect(isSuperuser({ user, groups }, rolesMakeSubject)).toBe(expected);
  });

  test('is not made by groups without a user, by default', () => {
    expect(isSuperuser({ groups: ['g'] })).toBe(false);
  });

  test('a user is never a superuser, whatever the other fields say', () => {
    expect(subjectOf({ user: 'alice', groups: ['g'] }, true)).toEqual({ user: 'alice', roles: ['g'] });
    expect(readOwner({ valid: true, user: 'alice', groups: [], superuser: true })).toMatchObject({
      subject: { user: 'alice', roles: [] },
    });
  });
});

describe('the result of an authenticate', () => {
  test.each<[unknown, unknown]>([
    [
      { valid: true, user: 'alice', groups: ['g'] },
      { user: 'alice', roles: ['g'] },
    ],
    [{ valid: true, groups: ['g'] }, { roles: ['g'] }],
    [{ valid: true, groups: [], superuser: true }, { superuser: true }],
    [{ valid: true, superuser: true, groups: ['g'] }, { superuser: true }],
    [{ user: 'alice' }, { user: 'alice', roles: [] }],
    [
      { user: 'alice', roles: ['g'] },
      { user: 'alice', roles: ['g'] },
    ],
    [{ roles: ['g'] }, { roles: ['g'] }],
    [{ superuser: true }, { superuser: true }],
  ])('makes a subject: %j', (said, subject) => {
    expect(readOwner(said)).toMatchObject({ subject });
  });

  test.each<unknown>([
    { valid: false, reason: 'token is expired' },
    { valid: true, groups: [] },
    { valid: true, groups: [], superuser: false },
    { valid: true, groups: [], superuser: 'true' },
    { valid: true },
    { roles: [] },
    { superuser: 1 },
    { user: null, superuser: true },
    { user: 7, roles: ['g'] },
    Object.create({ user: 'alice' }),
    Object.create({ superuser: true }),
    Object.assign(Object.create({ superuser: true }), { valid: true, groups: [] }),
  ])('%j names no owner', (said) => {
    expect(readOwner(said)).toBeInstanceOf(NotValid);
  });

  test.each<[said: unknown, problem: string]>([
    [undefined, 'expected an owner or a subject, got undefined'],
    [null, 'expected an owner or a subject, got null'],
    ['canary', 'expected an owner or a subject, got a string'],
    [7, 'expected an owner or a subject, got a number'],
    [[{ user: 'alice' }], 'expected an owner or a subject, got a list'],
    [{ valid: true, user: 'alice' }, 'groups: expected a list, got undefined'],
    [{ valid: true, user: 'alice', groups: 'g' }, 'groups: expected a list, got a string'],
    [{ valid: true, superuser: true }, 'groups: expected a list, got undefined'],
    [{ valid: true, superuser: true, groups: [7] }, 'groups[0]: expected a string, got a number'],
    [{ user: 'alice', roles: 'g' }, 'roles: expected a list, got a string'],
  ])('%j is refused as a fault of authenticate, not as an invalid token', (said, problem) => {
    expect(() => readOwner(said)).toThrow(new TypeError(`authenticate: ${problem}`));
  });

  test('an owner is marked as superuser only if the result says so', () => {
    const alice = { user: 'alice', groups: ['g'] };
    const subject = { user: 'alice', roles: ['g'] };
    expect(readOwner({ valid: true, ...alice })).toStrictEqual({ ...alice, subject });
    expect(readOwner({ valid: true, ...alice, superuser: false })).toStrictEqual({ ...alice, subject });
    expect(readOwner({ valid: true, ...alice, superuser: true })).toStrictEqual({ ...alice, superuser: true, subject });
  });

  test('an invalid token needs no explanation; a result without an owner has one, without its values', () => {
    expect(readOwner({ valid: false, reason: 'canary' })).toEqual(new NotValid());
    for (const said of [{ user: 5 }, { valid: true, name: 'canary', groups: [] }]) {
      const { problem } = readOwner(said) as NotValid;
      expect(problem).toMatch(/expected|neither/);
      expect(problem).not.toContain('canary');
    }
  });

  test('the owner is a copy, and each field was read once', () => {
    const groups = ['g'];
    let reads = 0;
    const said = {
      valid: true,
      get user() {
        reads++;
        return reads === 1 ? 'alice' : undefined;
      },
      groups,
    };
    const owner = readOwner(said);
    groups.push('admin');
    expect(owner).toMatchObject({ user: 'alice', groups: ['g'], subject: { user: 'alice', roles: ['g'] } });
    expect(reads).toBe(1);
  });
});
