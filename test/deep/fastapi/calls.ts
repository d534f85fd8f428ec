import assert from 'node:assert/strict';
import type { Route } from 'arango-services';
import { typed } from 'arango-services/openapi';
import type { paths } from './openapi.d.ts';

/** 40 calls of the FastAPI service, each kind of parameter, body and answer among them. Returns their number. */
export async function callAll(route: Route): Promise<number> {
  let count = 0;
  const called = <T>(call: Promise<T>): Promise<T> => {
    count += 1;
    return call;
  };
  const items = typed<paths>(route);
  const names = Array.from({ length: 10 }, (_, index) => `item ${index}`);
  for (const [index, name] of names.entries()) {
    const tags = index % 2 === 0 ? ['even'] : ['odd', 'rare'];
    const { status, body } = await called(items.post('/items/', { body: { name, price: index + 0.5, tags } }));
    assert.deepEqual([status, body.id, body.name], [201, index + 1, name]);
  }
  for (const [index, name] of names.entries()) {
    const { body } = await called(
      items.get('/items/{item_id}', { path: { item_id: index + 1 }, query: { expand: true } }),
    );
    assert.equal(body.name, name);
  }
  const lists = [{}, { limit: 3 }, { tag: ['even'] }, { tag: ['odd', 'rare'], limit: 2 }];
  const found = [];
  for (const query of lists) found.push((await called(items.get('/items/', { query }))).body.length);
  assert.deepEqual(found, [10, 3, 5, 2]);
  assert.equal((await called(items.get('/items/', { headers: { 'x-tenant': 'acme' } }))).body.length, 10);

  const path = { item_id: 3 };
  assert.equal(
    (await called(items.put('/items/{item_id}', { path, body: { name: 'new', price: 1, tags: [] } }))).body.name,
    'new',
  );
  assert.equal((await called(items.get('/items/{item_id}/label', { path }))).body, 'label of 3');
  const { body: photo } = await called(items.get('/items/{item_id}/photo', { path }));
  assert.ok(photo instanceof Uint8Array && photo[4] === 3);
  const stream = await called(items.get('/items/{item_id}/photo', { path, responseType: 'stream' }));
  assert.equal((await new Response(stream.body).arrayBuffer()).byteLength, 5);
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(1_000)]), 'a.bin');
  assert.equal((await called(items.post('/upload', { body: form }))).body, 1_000);

  assert.equal((await called(items.delete('/items/{item_id}', { path }))).status, 204);
  const gone = await called(items.get('/items/{item_id}', { path, allowStatus: [404] }));
  assert.equal(gone.status === 404 && gone.body.detail, 'no such item');
  const error: unknown = await called(items.get('/items/{item_id}', { path }).catch((thrown: unknown) => thrown));
  assert.ok(items.isError(error, 'get', '/items/{item_id}', 404) && error.body.detail === 'no such item');
  const invalid = await called(
    items.post('/items/', { body: { name: 'free', price: 0, tags: [] }, allowStatus: [422] }),
  );
  assert.deepEqual(invalid.status === 422 && invalid.body.detail?.[0]?.loc, ['body', 'price']);
  const wide = await called(items.get('/items/', { query: { limit: 1_000 }, allowStatus: [422] }));
  assert.deepEqual(wide.status === 422 && wide.body.detail?.[0]?.loc, ['query', 'limit']);
  const text = { one: 'ä', two: 'b', query: { text: 'c d', many: ['1', '2'] } };
  for (const many of [[], ['a'], ['a', 'b'], ['', '%'], ['&', '=']]) {
    const { body } = await called(
      items.get('/echo/{one}/{two}', { path: { one: text.one, two: text.two }, query: { ...text.query, many } }),
    );
    assert.deepEqual(body, { one: 'ä', two: 'b', text: 'c d', many });
  }
  return count;
}
