import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { root } from '../../../scripts/lib/exec.ts';
import { readSentences } from '../../../scripts/lib/sentences.ts';
import { authenticationChecks } from '../../../src/tools/conformance/checks/authentication-checks.ts';
import { authorizationChecks } from '../../../src/tools/conformance/checks/authorization-checks.ts';
import { routingChecks } from '../../../src/tools/conformance/checks/routing.ts';
import { writingChecks } from '../../../src/tools/conformance/checks/writing.ts';
import { sentences } from '../../../src/tools/conformance/sentences.ts';

const page = readSentences(readFileSync(`${root}docs/wire.md`, 'utf8')).map(({ text }) => text);
const checks = [...routingChecks, ...authenticationChecks, ...authorizationChecks, ...writingChecks];

test.each(Object.entries(sentences))('the sentence %s is on the page, once', (_name, sentence) => {
  expect(page.filter((text) => text === sentence)).toHaveLength(1);
});

test('checks have names of their own, and questions', () => {
  const names = checks.map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  expect(checks.filter(({ steps }) => steps.length === 0)).toEqual([]);
});

test('sentences end at full stops, and rows and items are sentences', () => {
  const markdown = [
    '# Page',
    '',
    'One sentence with `a.b` and 1.4. Another,',
    'over two lines. `Code` begins a third.',
    '',
    '## Table',
    '',
    '| head | of it |',
    '|---|---|',
    '| `a` | b. C |',
    '- An item. Two of it.',
  ].join('\n');
  expect(readSentences(markdown)).toEqual([
    { section: 'Page', text: 'One sentence with `a.b` and 1.4.' },
    { section: 'Page', text: 'Another, over two lines.' },
    { section: 'Page', text: '`Code` begins a third.' },
    { section: 'Table', text: '`a` | b. C' },
    { section: 'Table', text: 'An item.' },
    { section: 'Table', text: 'Two of it.' },
  ]);
});
