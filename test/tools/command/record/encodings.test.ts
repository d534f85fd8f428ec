import { expect, test } from 'vitest';
import { encodings, passwords, places } from '../../../support/secret-encodings.ts';
import { casesOf } from '../../../support/thorough.ts';
import { makeFolder, readFiles, record, serve } from './support.ts';

/** The strings of a file, put together where a stream is in chunks. */
function textsOf(file: string): string {
  const found: string[] = [];
  JSON.parse(file, (key, value) => {
    found.push(key);
    if (typeof value === 'string') found.push(value);
    return value;
  });
  return found.join('\n');
}

const kinds = ['application/json', 'text/plain', 'text/event-stream'] as const;

/** A body of a kind that holds a text. */
function bodyOf(kind: string, text: string): string {
  if (kind === 'application/json') return JSON.stringify({ notes: [text] });
  return kind === 'text/plain' ? `hello\n${text}\nbye\n` : `data: ${text}\n\n`;
}

// Each password comes in every encoding, place and kind of body, before a login tells that it is one.
test.each(casesOf(passwords))('hides the password %s in every encoding', { timeout: 120_000 }, async (password) => {
  const texts = Object.entries(encodings).flatMap(([encoding, write]) =>
    places.map((place, at) => ({
      name: `${encoding}, place ${at}`,
      text: place(write(password)),
      written: write(password),
    })),
  );
  const service = await serve((request, response) => {
    const [, index = '', kind = ''] = (request.url ?? '').split('/');
    const type = kinds[Number(kind)] ?? 'text/plain';
    response.setHeader('content-type', type);
    const body = bodyOf(type, texts[Number(index)]?.text ?? '');
    response.write(body.slice(0, body.length / 2));
    setImmediate(() => response.end(body.slice(body.length / 2)));
  });
  const folder = await makeFolder();
  const running = await record(service, folder);
  const ask = async (path: string, init?: RequestInit) => (await fetch(running.url + path, init)).arrayBuffer();
  await Promise.all(texts.map((_, index) => ask(`/${index}/${index % kinds.length}`)));
  const headers = { 'content-type': 'application/json' };
  await ask('/none', { method: 'POST', headers, body: JSON.stringify({ password }) });
  const { err } = await running.stop();
  expect(err).not.toMatch(/is not kept: /);
  const files = await readFiles(folder);
  expect(Object.keys(files)).toHaveLength(texts.length + 1);
  const held = Object.values(files).map(textsOf).join('\n');
  expect(texts.filter(({ written }) => held.includes(written)).map(({ name }) => name)).toEqual([]);
});
