// What the bundles may weigh. `npm run ledger` says what they are made of.
const client = { path: 'dist/index.js', import: '{ Connection, Route }' };
/** Analysis without what reads decision logs. */
const analysis =
  '{ compare, AnalysisError, isAnalysisError, formatComparison, formatAccess, formatPattern, grants, regionContains, excessAccess, missingAccess, resourceFilter, toAql, whoCan }';
const openapi = '{ typed, allowedOperations, permissionsOf, policyForOperations }';
const mainEntry = { path: 'dist/index.js', import: '*' };
/**
 * Modules of their own of the mock that few programs load: the AuthZEN endpoints, the login of drivers, the inventory,
 * bodies that are forms, encoded or in pieces, the forwarding to running services, what the gateway passes on, the
 * sign-in of mode SSO, the logs of decisions and the content of a fresh deployment; and of the validator, its forms and
 * examples.
 * The client has none: with an `import()`, pages built by webpack weigh 2 kB more, and by esbuild 0.8 kB.
 */
const lazy =
  /\/(authzen|drivers|gateway-calls|form-data|decoded|streamed-body|forwarding|sso|pass|log-modules|form-body|examples|fresh)-[\w-]+\.js$/;
/** Leaves them out by their names alone, so that the bytes are the same in every folder and of every build. */
const left = {
  name: 'lazy',
  resolveId: (id) => (lazy.test(id) ? { id: `lazy/${lazy.exec(id)[1]}`, external: true } : null),
};
const leave = (config) => ({ ...config, plugins: [left, ...(config.plugins ?? [])] });
const withoutLazy = { modifyRolldownConfig: leave };
/** Takes the files of a condition of package.json, as docs/guides/browsers.md says it for each bundler. */
const withCondition = (condition) => ({
  modifyRolldownConfig: (config) => ({
    ...leave(config),
    resolve: { conditionNames: ['import', 'browser', condition] },
  }),
});

export default [
  // Here and in all that hold a client, 0.05 kB: streams that are collected while their signal lives, and five smaller
  // faults of responses, headers and signals. They took 0.11 kB; one `close` for signals and clients, calls instead of
  // callbacks in the list of a signal, and one list of what hears of an end paid half of it.
  { name: 'Connection + Route', ...client, limit: '23.7 kB' },
  { name: 'Connection + Route, without ky', ...client, ...withCondition('without-ky'), limit: '15.79 kB' },
  // 0.5 kB of it: bindings of groups, `refresh` and `isNotFound` (granted by the issue of groups).
  // 0.03 kB of it: `inventory`, and 0.02 kB: logins without a user name (granted by the issue of doctor).
  // 0.2 kB of it: the revisions of writes; 0.19 kB: `freshToken({ after })` and `allowStatus: 'all'`, paid by shorter messages.
  // 0.05 kB: the client's timeout, signal and `close` limit `freshToken`; its parts that calls and batches share paid 0.03.
  { name: 'main entry', ...mainEntry, ...withoutLazy, limit: '33.2 kB' },
  { name: 'main entry, without ky', ...mainEntry, ...withCondition('without-ky'), limit: '25.31 kB' },
  // Permissions that are refreshed, and `ready`, took 0.8 kB; forged news of other tabs 0.6 kB; `initial` 0.15 kB;
  // sessions of a client, the reasons of ends and the hint about gateways 0.22 kB.
  { name: 'session', path: 'dist/session/index.js', import: '*', limit: '31.56 kB' },
  { name: 'react', path: 'dist/react/index.js', import: '*', limit: '2 kB' },
  { name: 'describe', path: 'dist/describe/index.js', import: '*', limit: '2 kB' },
  // 0.44 kB of it: bindings of groups. 0.25 kB: new questions over many bindings are 1.5 times as fast; so in the bundles
  // that hold the engine.
  { name: 'policy, without lint', path: 'dist/policy/index.js', import: '{ createEvaluator }', limit: '6.84 kB' },
  // 0.45 kB of it: the engine's groups; 0.3 kB: groups in answers, which none of the bytes here pay for.
  { name: 'analysis, without logs', path: 'dist/analysis/index.js', import: analysis, limit: '18 kB' },
  // 1.6 kB of it: services that run elsewhere, operations added to a service, bodies in pieces with checked events, and
  // one record for each request in the log. 1.62 kB: versions of the platform, groups, and writes that decisions see late.
  // 0.25 kB: what logs of decisions are told, and 0.1 kB: groups of tokens. 0.25 kB: groups in explanations. 0.14 kB: the
  // inventory and pong, and 0.72 kB: a fresh deployment, access tokens, and scopes in words in explanations, of the 1 kB
  // that the issue of doctor grants.
  { name: 'mock', path: 'dist/mock/index.js', import: '*', ...withoutLazy, limit: '54.4 kB' },
  // These three weighed 35.68 kB together before parameters in all styles, lists of a query and resources of lists;
  // docs/decisions/openapi.md says what they are made of.
  { name: 'guard', path: 'dist/guard/index.js', import: '*', limit: '21.05 kB' },
  { name: 'openapi', path: 'dist/openapi/index.js', import: '*', limit: '9.55 kB' },
  // `typed` takes the table of styles, whose code only those pay who import it.
  { name: 'openapi, without parameterTable', path: 'dist/openapi/index.js', import: openapi, limit: '8.07 kB' },
  { name: 'validator', path: 'dist/mock/openapi/index.js', import: '*', ...withoutLazy, limit: '8.88 kB' },
  { name: 'typed', path: 'dist/openapi/index.js', import: '{ typed }', limit: '0.6 kB' },
].map((bundle) => ({ ...bundle, gzip: true }));
