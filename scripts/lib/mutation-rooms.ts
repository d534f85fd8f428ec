/** A room of src whose tests are tested: by changing its code, and seeing a test fail for each change. */
export interface Room {
  readonly mutate: readonly string[];
  /** The fast tests that say what the room does. A mutant is run against those of them that reach it. */
  readonly tests: readonly string[];
  readonly without?: readonly string[];
  /** A regular expression for names of tests that are left out as well. */
  readonly withoutNames?: string;
  /** Percent of the mutants that have to be found. */
  readonly least: number;
}

/** By the name that `node scripts/mutate.ts` takes. */
export const rooms: Readonly<Record<string, Room>> = {
  policy: {
    mutate: ['src/policy/{evaluate,explain,lint,model}/*.ts', 'src/policy/index.ts'],
    tests: ['test/policy/**/*.test.ts'],
    // Slow and random: they seldom see what the others do not.
    without: ['test/policy/evaluate/{differential,properties,changes,memory}.test.ts'],
    least: 95,
  },
  'policy/analysis/log': {
    mutate: ['src/policy/analysis/log/*.ts'],
    tests: ['test/policy/analysis/log/*.test.ts'],
    // Random and slow, or over a mock.
    without: ['test/policy/analysis/log/{formats,rehearse-mock,rehearse-properties}.test.ts'],
    withoutNames: 'random|recorded',
    least: 85,
  },
  'permissions/apply': {
    mutate: ['src/permissions/apply/*.ts'],
    tests: ['test/permissions/apply/*.test.ts'],
    // Random.
    withoutNames: 'random|any state|stopped after each call',
    least: 85,
  },
  token: {
    mutate: ['src/enforce/token/**/*.ts'],
    tests: ['test/enforce/token/*.test.ts', 'test/base/jwt/*.test.ts'],
    least: 85,
  },
  jwt: {
    mutate: ['src/base/jwt/**/*.ts'],
    tests: ['test/base/jwt/*.test.ts', 'test/enforce/token/*.test.ts', 'test/mock/services/{keys,tokens}.test.ts'],
    least: 85,
  },
  credentials: {
    mutate: ['src/client/credentials/**/*.ts'],
    tests: [
      'test/client/credentials/*.test.ts',
      'test/client/connection/credentials.test.ts',
      'test/client/node/token-file.test.ts',
    ],
    least: 85,
  },
  session: {
    mutate: ['src/client/session/**/*.ts'],
    tests: ['test/client/session/*.test.ts', 'test/gateway/{calls,sign-in-url}.test.ts'],
    // Random.
    without: ['test/client/session/model.test.ts'],
    least: 85,
  },
  'mock/services': {
    mutate: ['src/mock/{gateway,services}/*.ts', 'src/mock/authzen.ts'],
    tests: [
      'test/mock/services/*.test.ts',
      'test/mock/{authzen,kit/behaviour,vectors,documented}.test.ts',
      'test/client/services/vectors.test.ts',
    ],
    least: 85,
  },
  connection: {
    mutate: ['src/client/connection/**/*.ts'],
    tests: [
      'test/client/connection/*.test.ts',
      'test/{base/lib/url,client/runtimes/worded-code}.test.ts',
      'test/client/route/*.test.ts',
      'test/{client,client-with}.test.ts',
      'test/client/services/{self,logout,needs}.test.ts',
    ],
    // They wait for real time or ask a thousand questions.
    without: ['test/client/connection/{garbage,containment,linear-time}.test.ts'],
    least: 85,
  },
  secrets: {
    mutate: ['src/base/secrets/**/*.ts'],
    tests: [
      'test/base/secrets/*.test.ts',
      'test/client/connection/{quoted-secrets,secrets,failures}.test.ts',
      'test/mock/kit/{redaction,on-request,request-log,behaviour}.test.ts',
    ],
    // Random, or about the sources.
    without: ['test/base/secrets/{filter-random,one-home}.test.ts'],
    least: 85,
  },
  lib: {
    mutate: ['src/base/lib/**/*.ts'],
    tests: [
      'test/base/lib/*.test.ts',
      'test/client/connection/retries.test.ts',
      'test/client/credentials/retries.test.ts',
    ],
    least: 85,
  },
  guard: {
    mutate: ['src/enforce/guard/**/*.ts'],
    tests: ['test/enforce/guard/*.test.ts'],
    // Random, or over thousands of sockets.
    without: ['test/enforce/guard/{agreement,frameworks}.test.ts'],
    least: 85,
  },
  'openapi-document': {
    mutate: ['src/base/openapi-document/**/*.ts'],
    tests: [
      'test/base/openapi-document/*.test.ts',
      'test/enforce/guard/operation-*.test.ts',
      'test/client/openapi/operation-permissions.test.ts',
    ],
    least: 85,
  },
  replica: {
    mutate: ['src/enforce/replica/{follower,synced-state,liveness,schedule,sync}.ts'],
    tests: ['test/enforce/replica/*.test.ts'],
    // Random, slow, or in processes of their own.
    without: ['test/enforce/replica/{connections,evaluations,lives,long-run,process,slices,suspended,walks}.test.ts'],
    least: 85,
  },
};
