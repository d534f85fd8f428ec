import { describe, expect, test } from 'vitest';
import { createEvaluator } from '../../../src/policy/index.ts';

import { adminOf, allow, logOf, openAdmin, shopOf } from './support/admin.ts';

describe('an administrator who may not read everything', () => {
  const count = 20;
  const whole = shopOf(count, 3, adminOf(['*'], '*'));
  const log = logOf(whole, count, 2_000);
  /** Answers of the whole state, by question. */
  const truth = createEvaluator(whole, { fidelity: 'sidecar' });

  test.each([
    ['users', adminOf(['*'], 'user-1*'), /not known: bindings of user "gone", "user-0", "user-2"/, /"user-1"/],
    ['policies and roles', adminOf(['p-1*', 'r-1*'], '*'), /not known: role "admin", "r-0", "r-2"/, /role "r-1"/],
  ])(
    'some %s: the rest is decided as it is, and the report names what is not',
    async (_, admin, named, unnamed) => {
      const opened = await openAdmin({ ...whole, policies: { ...whole.policies, admin } }, log);
      const replay = await opened.ask('replay', '--json');
      expect(replay.err).toMatch(named);
      expect(replay.err).not.toMatch(unnamed);
      const { gained, revoked, unchanged, error } = JSON.parse(replay.out);
      // The log has the decisions of the whole state.
      expect([replay.code, gained.count, revoked.count]).toEqual([0, 0, 0]);
      expect(error.groups).toEqual([expect.objectContaining({ reason: 'not-known' })]);
      expect(unchanged.count + error.count).toBe(2_000);
      expect(Math.min(unchanged.count, error.count)).toBeGreaterThan(100);

      const text = await opened.ask('rehearse');
      expect(text.out).toContain(`Not decided: ${error.count} requests (${error.count} not-known).`);
      const rehearsal = JSON.parse((await opened.ask('rehearse', '--json')).out);
      for (const { questions } of rehearsal.denied.groups) {
        for (const { subject, action, resource } of questions) {
          expect(truth.isAllowed({ ...subject, action, resource })).toBe(false);
        }
      }
      const all = JSON.parse((await opened.askFile('usage', '--json')).out);
      const some = JSON.parse((await opened.ask('usage', '--json')).out);
      for (const kind of ['policies', 'roles', 'statements']) {
        // `admin` differs, as it is another policy here.
        expect(all[kind]).toEqual(expect.arrayContaining(some[kind]));
      }
      const tight = await opened.ask('tighten');
      expect([tight.code, tight.out]).toEqual([1, '']);
      expect(tight.err).toMatch(/403.*(?:rbac:ListUserRoleBinding|rbac:GetRole)/);
    },
    120_000,
  );

  test('one who may not list gets no answer, but the missing permission', async () => {
    const opened = await openAdmin(
      { ...whole, policies: { ...whole.policies, admin: allow(['rbac:Get*'], ['*']) } },
      log,
    );
    const { code, out, err } = await opened.ask('rehearse');
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain('rbac:ListRole');
  }, 60_000);
});
