import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { root } from '../../../scripts/lib/exec.ts';
import { formatConformance, parityOf } from '../../../src/tools/conformance/index.ts';
import { sentences } from '../../../src/tools/conformance/sentences.ts';
import { checkFaulty, checkMock } from './support/faulty.ts';

describe('known differences', () => {
  const fault = {
    answer: (answer: { status: number }) => void (answer.status === 501 && Object.assign(answer, { status: 405 })),
  };

  test('are reported, and do not count', async () => {
    const known = [{ check: 'routing/*', at: 'status', reason: 'our proxy' }];
    const report = await checkFaulty(fault, { known: [...known, { check: 'headers/no-override' }] });
    expect([report.alike, report.differences.every((one) => one.known !== undefined)]).toEqual([true, true]);
    expect(formatConformance(report)).toContain(
      'known: routing/method GET /_integration/authn/v1/validate status – our proxy',
    );
    expect(report.checks.find(({ check }) => check === 'routing/method')?.result).toBe('known');
  });

  test('count if they are of another check or part', async () => {
    expect((await checkFaulty(fault, { known: [{ check: 'routing/*', at: 'header location' }] })).alike).toBe(false);
    expect((await checkFaulty(fault, { known: [{ check: 'routing' }] })).alike).toBe(false);
  });

  test('are named if nothing matches them, unless their check was not tried', async () => {
    const known = [
      { check: 'routing/method' },
      { check: '*', at: 'status' },
      { check: 'routing/methud', at: 'status' },
    ];
    const untried = [{ check: 'validate/expired' }, { check: 'validate/expired', at: '/message' }];
    const report = await checkFaulty(fault, { known: [...known, ...untried], secret: undefined });
    expect(report.unmatched).toEqual([known[2]]);
    expect(formatConformance(report).split('\n')).toContain('known, but not found: routing/methud status');
  });
});

describe('the table', () => {
  test('has one row for a check, with its sentence, its name, and each part that differs', async () => {
    const report = await checkMock({}, { settings: { fidelity: 'documented' } });
    const text = formatConformance(report);
    const rows = text.slice(0, text.indexOf('checks alike')).split('\n\n').slice(0, -1);
    expect(rows.length).toBe(report.checks.filter(({ result }) => result === 'different').length);
    const [row = ''] = rows.filter((one) => one.includes('[headers/override]'));
    const cells = row.split('\n').map((line) => [line.slice(0, 44), line.slice(46, 80), line.slice(82, 104)]);
    const column = (index: number) =>
      cells
        .map((line) => line[index]?.trim())
        .join(' ')
        .trim();
    expect(column(0)).toBe(`${sentences.methodOverride} [headers/override]`);
    expect(column(1).match(/status|\/\w+$|\/code/g)).toEqual(expect.arrayContaining(['status', '/code']));
    // A value that one side lacks is shown as such, also if only its kind is compared.
    expect(column(2)).not.toContain('undefined');
    expect(report.differences.filter(({ expected }) => expected === 'undefined')).toEqual([]);
  });

  test('breaks paths behind a slash', async () => {
    const text = formatConformance(await checkMock({}, { settings: { fidelity: 'documented' } }));
    expect(text).toContain('POST /_integration/authn/v1/       ');
    expect(text).not.toMatch(/\/valida +/);
  });
});

test('no format shows a token, a key or a password, whatever the deployment answers', async () => {
  const canary = 'canary-of-a-secret-0123456789';
  const seen = new Set<string>([canary]);
  const echo = {
    answer(
      answer: { status: number; body: unknown },
      { headers, json }: { headers: Headers; json: { token?: string } | undefined },
    ) {
      const bearer = headers.get('authorization') ?? headers.get('cookie') ?? '';
      const token = json?.token ?? '';
      for (const text of [bearer.replace(/^bearer |^.*?=/i, ''), token])
        if (String(text).length > 40) seen.add(String(text));
      const spelled = [canary, btoa(canary), encodeURIComponent(bearer), token, bearer];
      if (answer.status !== 200)
        answer.body = { message: spelled.join(' '), [bearer || 'none']: spelled, raw: { token, bearer } };
    },
  };
  const report = await checkFaulty(
    echo,
    { secret: canary, write: true },
    { authentication: { keys: { active: canary } } },
  );
  expect(report.differences.length).toBeGreaterThan(20);
  const formats = (['text', 'json', 'junit'] as const).map((as) => formatConformance(report, as));
  const shown = [...formats, JSON.stringify(parityOf(report)), JSON.stringify(report)].join('\n');
  expect(seen.size).toBeGreaterThan(5);
  for (const text of seen) {
    const [, claims = text] = text.split('.');
    for (const one of [text, claims, btoa(canary), encodeURIComponent(text)])
      expect(shown.includes(one ?? '')).toBe(false);
  }
});

test('JUnit has a case for each check, with failures and skipped ones', async () => {
  const report = await checkFaulty(
    { answer: (answer) => void answer.headers.delete('www-authenticate') },
    { secret: undefined },
  );
  const xml = formatConformance(report, 'junit');
  expect(xml.match(/<testcase /g)).toHaveLength(report.checks.length);
  expect(xml.match(/<skipped /g)).toHaveLength(report.notTried.length);
  const failed = report.checks.filter(({ result }) => result === 'different').length;
  expect(xml.match(/<failure /g)).toHaveLength(failed);
  expect(xml).toContain(`failures="${failed}"`);
});

test('parityOf lists each sentence of docs/wire.md once, with the result for the deployment', async () => {
  const report = await checkFaulty({ answer: (answer) => void answer.headers.delete('www-authenticate') });
  const { at, sentences: entries } = parityOf(report);
  expect(at).toBe(report.at);
  expect(new Set(entries.map(({ sentence }) => sentence)).size).toBe(entries.length);
  expect(entries.find(({ sentence }) => sentence === sentences.unauthenticated)?.result).toBe('different');
  expect(entries.find(({ sentence }) => sentence === sentences.unknownPath)).toEqual({
    sentence: sentences.unknownPath,
    result: 'shown',
    by: ['routing/integration', 'routing/management'],
  });
  expect(readFileSync(`${root}docs/wire.md`, 'utf8')).toContain(sentences.unknownPath);
});
