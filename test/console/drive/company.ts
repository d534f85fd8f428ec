import type { MockConfig } from '../../../src/mock/config/mock-config.ts';
import { createMock, type Mock } from '../../../src/mock/index.ts';

const everywhere = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;

const list = <T>(length: number, make: (index: number) => T): T[] => Array.from({ length }, (_, index) => make(index));

const firstNames = [
  'anna',
  'bertrand',
  'chiara',
  'dmitri',
  'elizabeth',
  'francisco',
  'gudrun',
  'hiroshi',
  'ines',
  'jo',
];
const lastNames = ['abdelrahman', 'brown', 'castellanos', 'dubois', 'eriksson', 'fitzgerald-moore'];
const areas = [
  'orders',
  'invoices',
  'customers',
  'shipments',
  'returns',
  'suppliers',
  'prices',
  'reports',
  'stock',
  'staff',
];

/** The 300 users, by addresses as companies give them. */
export const people = list(300, (index) => {
  const last = lastNames[Math.floor(index / firstNames.length) % lastNames.length];
  return `${firstNames[index % firstNames.length]}.${last}${Math.floor(index / 60) || ''}@subsidiary.example.com`;
});

const policyName = (index: number): string =>
  `${areas[index % 10]}-${['read', 'write', 'no-archive'][Math.floor(index / 10)]}`;

function policyOf(index: number) {
  const area = areas[index % 10];
  const [read, write] = [
    [`${area}:read`, `${area}:list`],
    [`${area}:create`, `${area}:update`, `${area}:delete`],
  ];
  const resources = [`${area}:*`];
  if (index < 10) return { statements: [{ effect: 'Allow' as const, actions: read, resources }] };
  if (index < 20) return { statements: [{ effect: 'Allow' as const, actions: write, resources }] };
  return { statements: [{ effect: 'Deny' as const, actions: [`${area}:*`], resources: [`${area}:archive-*`] }] };
}

/** A company: 30 policies, 40 roles, 300 users and 12 groups. */
const company: MockConfig = {
  platform: 'next',
  users: people.map((name) => ({ name })),
  policies: Object.fromEntries(list(30, (index) => [policyName(index), policyOf(index)])),
  roles: Object.fromEntries(
    list(40, (index) => [
      `${areas[index % 10]}-${['clerk', 'manager', 'auditor', 'on-call'][Math.floor(index / 10)]}`,
      { policies: [policyName(index % 10), policyName((index + 10) % 30), policyName((index + 20) % 30)] },
    ]),
  ),
  bindings: people.slice(0, 280).map((user, index) => ({
    user,
    role: `${areas[index % 10]}-${index % 3 === 0 ? 'manager' : 'clerk'}`,
    scope: everywhere,
  })),
  groupBindings: list(12, (index) => ({
    group: `/company/departments/department-${index + 1}`,
    role: `${areas[index % 10]}-auditor`,
    scope: everywhere,
  })),
  limits: { log: 20_000 },
};

/** Creates the mock of the company, with requests in its log. */
export async function openCompany(requests = 500): Promise<Mock> {
  const mock = await createMock(company);
  mock.clock.set('2026-11-20T12:00:00Z');
  const url = `${mock.connection.url}/_integration/authorization/v1/evaluate`;
  for (let index = 0; index < requests; index += 1) {
    const area = areas[(index + (index % 7 === 0 ? 1 : 0)) % 10];
    const action = `${area}:${['read', 'list', 'update', 'delete'][index % 4]}`;
    const body = JSON.stringify({ user: people[index % 300], action, resource: `${area}:2026-${1_000 + index}` });
    if (index % 50 === 49) await mock.fetch(`${mock.connection.url}/_db/company/_api/document/orders/${index}`);
    else await mock.fetch(url, { method: 'POST', body });
    if (index % 10 === 0) mock.clock.advance('20s');
  }
  return mock;
}
