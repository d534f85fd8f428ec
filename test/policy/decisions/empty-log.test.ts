import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { collect } from './collect.ts';

const failed =
  '{"level":"warn","method":"Permissive.Evaluate","user":"alice","action":"a:b","resource":"r","roles":[],' +
  '"context":"null","error":"no policies","message":"","time":"2026-11-23T04:06:12Z","message":"Failed to evaluate permission"}';
const utf16 = (text: string) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]);

test.each<readonly [name: string, log: string | Uint8Array, words: string]>([
  ['nothing', '', 'the log is empty'],
  ['lines of other programs', 'GET / 200\n', 'no line is one of this package or of the platform'],
  ['failed evaluations only', `${failed}\n${failed}\n`, 'the platform could not evaluate the questions'],
  ['a failed evaluation between lines of other programs', `GET /\n${failed}\n`, 'could not evaluate the questions'],
  ['lines of a newer version', '{"v":2,"kind":"decision"}\n', 'newer version'],
  ['a line without its fields', '{"v":1,"kind":"decision"}\n', 'lack a field'],
  ['half a line', '{"v":1,"kind":"deci', 'break off'],
  ['UTF-16, as PowerShell writes it', utf16('{"v":1,"kind":"decision"}\r\n'), 'not UTF-8'],
  ['bytes of any kind', Uint8Array.from({ length: 512 }, (_, i) => i % 256), 'not UTF-8'],
  ['a line without an end', 'x'.repeat(1_100_000), 'longer than 1 MiB'],
  ['a gzip file that breaks off at once', gzipSync('{"v":1}\n').subarray(0, 5), 'the gzip file is damaged'],
])('a log of %s says so', async (_, log, words) => {
  const { decisions, summary } = await collect(log);
  expect(decisions).toEqual([]);
  expect(summary.problem).toContain(words);
});
