import { describe, expect, test } from 'vitest';
import { createMock, type MockConfig } from '../../../src/mock/index.ts';

const evaluate = { method: 'POST', body: '{"user":"alice","action":"a:b","resource":"c"}' };
const path = '/_integration/authorization/v1/evaluate';

describe('mock.onRequest', () => {
  test.each<MockConfig>([{}, { limits: { log: 0 } }])(
    'is called after each answer, even without a log (%o)',
    async (config) => {
      const mock = await createMock(config);
      const heard: unknown[] = [];
      mock.onRequest((request) => heard.push(request));
      await mock.fetch(`http://mock.test${path}?token=secret`, evaluate);
      await mock.fetch('http://mock.test/_api/version', { headers: { authorization: 'bearer secret' } });
      mock.fail({ drop: true });
      await expect(mock.fetch('http://mock.test/_api/version')).rejects.toThrow();
      const denied = [{ action: 'a:b', resource: 'c', effect: 'Deny' }];
      expect(heard).toEqual([
        { method: 'POST', path, status: 200, decision: 'Deny', decisions: denied },
        { method: 'GET', path: '/_api/version', status: 401, decision: undefined, decisions: [] },
        { method: 'GET', path: '/_api/version', status: 0, decision: undefined, decisions: [] },
      ]);
    },
  );

  test.each([
    ['/a/%20eyJhbGciOiJIUzI1NiJ9.eyJjYW5hcnkiOjF9.c2ln/b', '/a/%20<redacted>/b'],
    ['/x_eyJhbGciOiJIUzI1NiJ9%2EeyJjYW5hcnkiOjF9%2ec2ln', '/x_<redacted>'],
    ['/eyJhbGciOiJub25lIn0.eyJjYW5hcnkiOjF9.', '/<redacted>'],
    ['/eyJust.a-name/eyJ', '/eyJust.a-name/eyJ'],
  ])('hides a token in the path %s as the log does', async (path, shown) => {
    const mock = await createMock();
    const heard: string[] = [];
    mock.onRequest((request) => heard.push(request.path));
    await mock.fetch(`http://mock.test${path}`);
    expect([heard, mock.requests.map((request) => request.path)]).toEqual([[shown], [shown]]);
  });

  test('returns a function that removes the listener, without affecting others', async () => {
    const mock = await createMock();
    const heard: string[] = [];
    const undo = mock.onRequest(() => heard.push('first'));
    mock.onRequest(() => heard.push('second'));
    await mock.fetch(`http://mock.test${path}`, evaluate);
    undo();
    undo();
    await mock.fetch(`http://mock.test${path}`, evaluate);
    expect(heard).toEqual(['first', 'second', 'second']);
  });

  test('a listener that throws changes no answer', async () => {
    const mock = await createMock();
    mock.onRequest(() => {
      throw new Error('canary');
    });
    const response = await mock.fetch(`http://mock.test${path}`, evaluate);
    expect([response.status, await response.json()]).toEqual([200, { message: 'Permission denied', effect: 'Deny' }]);
  });
});
