/** A room of src whose tests are tested: by changing its code, and seeing a test fail for each change. */
export interface Room {
  readonly mutate: readonly string[];
  /** The fast tests that say what the room does. A mutant is run against those of them that reach it. */
  readonly tests: readonly string[];
  readonly without?: readonly string[];
  /** Percent of the mutants that have to be found. */
  readonly least: number;
}

/** By the name that `node scripts/mutate.ts` takes. */
export const rooms: Readonly<Record<string, Room>> = {
  policy: {
    mutate: ['src/policy/**/*.ts'],
    tests: ['test/policy/**/*.test.ts'],
    // Slow and random: they seldom see what the others do not.
    without: ['test/policy/evaluate/{differential,properties,changes,memory}.test.ts'],
    least: 95,
  },
  token: { mutate: ['src/token/**/*.ts'], tests: ['test/token/*.test.ts', 'test/jwt/*.test.ts'], least: 85 },
  jwt: {
    mutate: ['src/jwt/**/*.ts'],
    tests: ['test/jwt/*.test.ts', 'test/token/*.test.ts', 'test/mock/services/{keys,tokens}.test.ts'],
    least: 85,
  },
  credentials: {
    mutate: ['src/credentials/**/*.ts'],
    tests: ['test/credentials/*.test.ts', 'test/connection/credentials.test.ts', 'test/node/token-file.test.ts'],
    least: 85,
  },
  session: {
    mutate: ['src/session/**/*.ts'],
    tests: ['test/session/*.test.ts', 'test/gateway/{calls,sign-in-url}.test.ts'],
    // Random.
    without: ['test/session/model.test.ts'],
    least: 85,
  },
  'mock/services': {
    mutate: ['src/mock/{gateway,services}/*.ts', 'src/mock/authzen.ts'],
    tests: [
      'test/mock/services/*.test.ts',
      'test/mock/{authzen,kit/behaviour,vectors,documented}.test.ts',
      'test/services/vectors.test.ts',
    ],
    least: 85,
  },
  connection: {
    mutate: ['src/connection/**/*.ts'],
    tests: [
      'test/connection/*.test.ts',
      'test/route/*.test.ts',
      'test/{client,client-with}.test.ts',
      'test/services/{self,logout,needs}.test.ts',
    ],
    // They wait for real time or ask a thousand questions.
    without: ['test/connection/{garbage,containment,linear-time}.test.ts'],
    least: 85,
  },
  secrets: {
    mutate: ['src/secrets/**/*.ts'],
    tests: [
      'test/secrets/*.test.ts',
      'test/connection/{quoted-secrets,secrets,schema-issues,failures}.test.ts',
      'test/mock/kit/{redaction,on-request,request-log,behaviour}.test.ts',
    ],
    // Random, or about the sources.
    without: ['test/secrets/{filter-random,one-home}.test.ts'],
    least: 85,
  },
  lib: {
    mutate: ['src/lib/**/*.ts'],
    tests: ['test/lib/*.test.ts', 'test/connection/retries.test.ts', 'test/credentials/retries.test.ts'],
    least: 85,
  },
  guard: {
    mutate: ['src/guard/**/*.ts'],
    tests: ['test/guard/*.test.ts'],
    // Random, or over thousands of sockets.
    without: ['test/guard/{agreement,frameworks}.test.ts'],
    least: 85,
  },
  'openapi-document': {
    mutate: ['src/openapi-document/**/*.ts'],
    tests: ['test/openapi-document/*.test.ts', 'test/guard/operation-*.test.ts', 'test/openapi/permissions.test.ts'],
    least: 85,
  },
  replica: {
    mutate: ['src/replica/{follower,synced-state,liveness,schedule,sync}.ts'],
    tests: ['test/replica/*.test.ts'],
    // Random, slow, or in processes of their own.
    without: ['test/replica/{connections,evaluations,lives,long-run,process,slices,suspended,walks}.test.ts'],
    least: 85,
  },
};
