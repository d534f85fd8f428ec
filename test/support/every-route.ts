import { createMock, type Mock } from '../../src/mock/index.ts';
import { endpointRows } from '../../src/mock/server/endpoints.ts';
import { endpointPaths, metadataPath } from '../../src/policy/authzen-protocol/pdp-endpoints.ts';

/** A request for an endpoint. */
type RouteRequest = readonly [method: string, path: string];

const requestFor = (method: string, pattern: string): RouteRequest => [
  method === '*' ? 'PUT' : method,
  pattern.replace(/:\w+/g, 'x').replace('*', 'a/b'),
];

/** A mock with every kind of route, and a request for each: the table's, AuthZEN's, services, and added routes. */
export async function everyRoute(mode: 'Native' | 'SSO' | 'None'): Promise<{ mock: Mock; all: RouteRequest[] }> {
  const mock = await createMock({
    authentication: { mode },
    authzen: true,
    routes: [
      { path: '/_platform/acp/v1/list_services', body: [] },
      { path: '/seeded/:id', body: {} },
    ],
  });
  const orders = { '/orders/{id}': { put: () => ({ body: {} }) } };
  mock.service('orders', orders);
  mock.service('orders', orders, { global: true });
  mock.route('GET', '/_db/:db/own/*', () => ({ body: {} }));
  mock.route('PUT', '/arangoroute/:id', () => ({ body: {} }));
  const added: RouteRequest[] = [
    ['POST', '/_platform/acp/v1/list_services'],
    ['POST', '/_platform/filemanager/none'],
    ['PUT', '/seeded/7'],
    ['PUT', '/_service/uds/_db/shop/orders/orders/7'],
    ['PUT', '//_service//uds/_db/shop/orders/orders/7'],
    ['PUT', '/_service/uds/_global/orders/orders/7'],
    ['GET', '/_service/uds/_db/shop/none'],
    ['GET', '/_db/shop/own/a/b'],
    ['HEAD', '/_db/shop/own/a/b'],
    ['PUT', '/arangoroute/7'],
    ['GET', '/oauth2/idpresponse'],
    ['GET', '/_inventory'],
  ];
  const pdp = [metadataPath, ...Object.values(endpointPaths)].map((path) => requestFor('*', path));
  const rows = endpointRows(mock.settings).map(([method, pattern]) => requestFor(method, pattern));
  return { mock, all: [...rows, ...pdp, ...added] };
}
