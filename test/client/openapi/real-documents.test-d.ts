import { expectTypeOf, test } from 'vitest';
import { typed } from '../../../src/client/openapi/index.ts';
import { createClient } from '../../../src/index.ts';
import type { components as Catalog, paths as CatalogPaths } from './documents/backstage-catalog.d.ts';
import type { paths as ModelPaths, components as Models } from './documents/mlserver-data-plane.d.ts';
import type { components as Admin, paths as AdminPaths } from './documents/piccolo-admin.d.ts';

const client = createClient({ url: 'http://service.test' });
const admin = typed<AdminPaths>(client.service('admin'));
const catalog = typed<CatalogPaths>(client.service('catalog'));
const models = typed<ModelPaths>(client.service('models'));
const form = new FormData();

/** Only tsc reads these. */
const never = (calls: () => unknown): void => void calls;

test('FastAPI: Piccolo Admin', () => {
  never(async () => {
    type Movie = Admin['schemas']['MovieOutput'];
    const created = await admin.post('/tables/movie/', { body: { name: 'Brazil' } });
    expectTypeOf(created.body).toEqualTypeOf<Movie>();
    expectTypeOf(created.status).toEqualTypeOf<201>();
    const row = await admin.get('/tables/movie/{row_id}/', { path: { row_id: '7' }, allowStatus: [422] });
    if (row.status === 422) expectTypeOf(row.body).toEqualTypeOf<Admin['schemas']['HTTPValidationError']>();
    const gone = await admin.delete('/tables/movie/{row_id}/', { path: { row_id: '7' } });
    expectTypeOf(gone.body).toEqualTypeOf<undefined>();
    expectTypeOf((await admin.get('/tables/')).body).toEqualTypeOf<string[]>();
    const ids = await admin.get('/tables/movie/ids/', { query: { search: 'a' } });
    expectTypeOf(ids.body).toEqualTypeOf<{ [key: string]: string }>();
    await admin.get('/tables/movie/ids/', { query: 'search=a' });
    await admin.post('/media/', { body: form });

    // @ts-expect-error an unknown path: the slash at the end is missing
    await admin.get('/tables');
    // @ts-expect-error the path has no such method
    await admin.put('/tables/');
    // @ts-expect-error the parameter is missing
    await admin.get('/tables/movie/{row_id}/');
    // @ts-expect-error a row's id is a string
    await admin.get('/tables/movie/{row_id}/', { path: { row_id: 7 } });
    // @ts-expect-error a misspelt query
    await admin.get('/tables/movie/ids/', { query: { serch: 'a' } });
    // @ts-expect-error the name is a string
    await admin.post('/tables/movie/', { body: { name: 7 } });
    // @ts-expect-error a form is sent as FormData
    await admin.post('/media/', { body: { file: 'text' } });
  });
});

test('OpenAPI 3.0: the data plane of MLServer', () => {
  never(async () => {
    const path = { model_name: 'iris' };
    const ready = await models.get('/v2/health/ready');
    expectTypeOf(ready.body).toEqualTypeOf<undefined>();
    const model = await models.get('/v2/models/{model_name}', { path, allowStatus: [404] });
    if (model.status === 404) expectTypeOf(model.body).toEqualTypeOf<Models['schemas']['MetadataModelErrorResponse']>();
    else expectTypeOf(model.body).toEqualTypeOf<Models['schemas']['MetadataModelResponse']>();
    const inputs = [{ name: 'x', shape: [1], datatype: 'FP32', data: [1] }];
    const result = await models.post('/v2/models/{model_name}/infer', { path, body: { inputs } as never });
    expectTypeOf(result.body).toEqualTypeOf<Models['schemas']['InferenceResponse']>();

    // @ts-expect-error an unknown path
    await models.get('/v3');
    // @ts-expect-error one of two parameters is missing
    await models.get('/v2/models/{model_name}/versions/{model_version}', { path });
    // @ts-expect-error inputs are required
    await models.post('/v2/models/{model_name}/infer', { path, body: { id: '7' } });
    // @ts-expect-error the operation takes no query
    await models.get('/v2/models/{model_name}', { path, query: { verbose: true } });
  });
});

test("OpenAPI 3.1: Backstage's catalog", () => {
  never(async () => {
    const found = await catalog.get('/entities/by-query', { query: { limit: 5, fullTextFilterFields: ['a', 'b'] } });
    expectTypeOf(found.body).toEqualTypeOf<Catalog['schemas']['EntitiesQueryResponse']>();
    expectTypeOf(found.status).toEqualTypeOf<200>();
    const created = await catalog.post('/locations', {
      body: { target: 'https://example.com/catalog.yaml', type: 'url' },
      query: { onConflict: 'refresh' },
      allowStatus: [409],
    });
    if (created.status === 409) expectTypeOf(created.body).toEqualTypeOf<Catalog['schemas']['Error']>();
    else expectTypeOf(created.body.location).toEqualTypeOf<Catalog['schemas']['Location']>();
    const path = { kind: 'component', namespace: 'default', name: 'shop' };
    const entity = await catalog.get('/entities/by-name/{kind}/{namespace}/{name}', { path });
    expectTypeOf(entity.body).toEqualTypeOf<Catalog['schemas']['Entity']>();

    // @ts-expect-error an unknown path
    await catalog.get('/entity');
    // @ts-expect-error one of three parameters is missing
    await catalog.get('/entities/by-name/{kind}/{namespace}/{name}', { path: { kind: 'a', namespace: 'b' } });
    // @ts-expect-error a value that the enum lacks
    await catalog.post('/locations', { body: { target: 'a', type: 'url' }, query: { onConflict: 'ignore' } });
    // @ts-expect-error a required field of the body is missing
    await catalog.post('/refresh', { body: {} });
    // @ts-expect-error there is no such field in the body
    await catalog.post('/refresh', { body: { entityRef: 'a', ref: 'b' } });
  });
});
