import { expectTypeOf, test } from 'vitest';
import type * as z from 'zod/mini';
import type { createLineSchema } from '../scripts/lib/schemas/line-schema.ts';
import { asGiven, type Reader, type ReadersOf } from '../src/base/lib/readers.ts';
import type { ClientOptions, readClientOptions } from '../src/client/client.ts';
import type { CallOptions, callReaders } from '../src/client/connection/call.ts';
import type {
  CloseOptions,
  ConnectionChanges,
  ConnectionOptions,
  connectionReaders,
  readChanges,
  readCloseOptions,
} from '../src/client/connection/connection-options.ts';
import type { FailoverAddress, readFailoverAddress } from '../src/client/failover/addresses.ts';
import type { FailoverOptions, readFailoverOptions } from '../src/client/failover/failover.ts';
import type { NodeTransportOptions, readTransportOptions } from '../src/client/node/transport/transport-options.ts';
import type { AllowedOperationsOptions, readAllowedOptions } from '../src/client/openapi/allowed-operations.ts';
import type { readRequestOptions, readRouteOptions } from '../src/client/route-arguments.ts';
import type { readServiceOptions, ServiceOptions } from '../src/client/route-client.ts';
import type { RequestOptions, RouteOptions } from '../src/client/route-types.ts';
import type { ListOptions, readListOptions } from '../src/client/services/authorization/management.ts';
import type { ServiceCallOptions, serviceCallReaders } from '../src/client/services/service-client.ts';
import type { PermissionStoreOptions, readStoreOptions } from '../src/client/session/permission-store.ts';
import type {
  ClientSessionOptions,
  readClientSessionOptions,
  readSessionOptions,
  SessionOptions,
} from '../src/client/session/session-options.ts';
import type { EventOptions, readEventOptions } from '../src/client/stream/events.ts';
import type { LineOptions, readLineOptions } from '../src/client/stream/lines.ts';
import type { PaginateOptions, readPaginateOptions } from '../src/client/stream/paginate.ts';
import type { readUploadOptions, UploadOptions } from '../src/client/stream/upload-with-progress.ts';
import type { PdpOptions, readPdpOptions } from '../src/enforce/authzen/create-pdp.ts';
import type { OperationOptions, readOperationOptions } from '../src/enforce/guard/guard-operation.ts';
import type { GuardOptions, readGuardOptions } from '../src/enforce/guard/guard-options.ts';
import type { PermissionsOptions, readPermissionsOptions } from '../src/enforce/guard/permissions-handler.ts';
import type { PoolTransportOptions, readPoolTransportOptions } from '../src/enforce/replica/pool-transport.ts';
import type { ReachedOptions, readReachedOptions } from '../src/enforce/replica/reaching.ts';
import type { ReplicaOptions, readReplicaOptions } from '../src/enforce/replica/replica-options.ts';
import type { ReadyOptions, readyOptions } from '../src/enforce/replica/waiting.ts';
import type {
  readVerifierKeys,
  readVerifyOptions,
  readVerifyTime,
  VerifierKeys,
  VerifyOptions,
  VerifyTime,
} from '../src/enforce/token/verify.ts';
import type { ListenGrpcOptions, readListenGrpcOptions } from '../src/mock/adapters/grpc/listen-grpc-options.ts';
import type { HandlersOptions, readHandlersOptions } from '../src/mock/adapters/msw-options.ts';
import type { ListenOptions, readListenOptions } from '../src/mock/adapters/node/listen-options.ts';
import type { PlaybackOptions, readPlaybackOptions } from '../src/mock/adapters/node/playback/playback-options.ts';
import type { createSchema } from '../src/mock/config/config-schema.ts';
import type { MockConfig } from '../src/mock/config/mock-config.ts';
import type { CustomRouteOptions } from '../src/mock/kit/custom-handler.ts';
import type { readCustomRouteOptions, readForwardOptions, readHostedOptions } from '../src/mock/kit/custom-routes.ts';
import type { ForwardOptions, MockServiceOptions as HostedOptions } from '../src/mock/kit/hosted/service-types.ts';
import type { readFaultFields } from '../src/mock/kit/scripted-fault.ts';
import type { readForgery, readIssueRequest } from '../src/mock/kit/token-kit.ts';
import type { readWaitOptions, WaitOptions } from '../src/mock/kit/waiters.ts';
import type { PlatformLogOptions, readPlatformLogOptions } from '../src/mock/logs/platform-log-options.ts';
import type { readValidatorOptions, ValidatorOptions } from '../src/mock/openapi/validator.ts';
import type { MockFault } from '../src/mock/options/fault.ts';
import type { Forgery, IssueRequest } from '../src/mock/options/issue-request.ts';
import type { ApplyOptions, readApplyOptions } from '../src/permissions/apply/apply-options.ts';
import type { ExportOptions, readExportOptions } from '../src/permissions/files/export-permissions.ts';
import type {
  ReadPermissionsOptions,
  readPermissionsOptions as readFilesOptions,
} from '../src/permissions/files/read-permissions.ts';
import type { PlanResourcesOptions, readPlanResourcesOptions } from '../src/permissions/folder/plan-resources.ts';
import type { LintPermissionsOptions, readLintPermissionsOptions } from '../src/permissions/lint-permissions.ts';
import type { AnswerOptions, readAnswerOptions } from '../src/permissions/model/read-argument.ts';
import type { PlanOptions, readPlanOptions } from '../src/permissions/plan/plan.ts';
import type { ReadStateOptions, readStateOptions } from '../src/permissions/read-state.ts';
import type { ResourceOptions, readResourceOptions } from '../src/permissions/resources/export-resources.ts';
import type { readTestOptions, TestOptions } from '../src/permissions/tests/run-tests.ts';
import type { AnalysisOptions } from '../src/policy/analysis/analysis-types.ts';
import type { readStatementOptions, StatementOptions } from '../src/policy/analysis/catalog/statement.ts';
import type { CompareOptions, readCompareOptions } from '../src/policy/analysis/compare.ts';
import type { readAnalysisOptions } from '../src/policy/analysis/read-input.ts';
import type { ExcessOptions, readExcessOptions } from '../src/policy/analysis/requirements.ts';
import type { AqlOptions, readAqlOptions } from '../src/policy/analysis/to-aql.ts';
import type { readWhoCanOptions, WhoCanOptions } from '../src/policy/analysis/who-can.ts';
import type { MappingOptions, readMappingOptions } from '../src/policy/authzen-protocol/mapping.ts';
import type { GapLine } from '../src/policy/decision-line/gap-line.ts';
import type { DecisionLine, DecisionReason } from '../src/policy/decision-line/line.ts';
import type { DecisionLogOptions, readDecisionLogOptions } from '../src/policy/decisions/decision-log.ts';
import type { ReadDecisionsOptions, readDecisionsOptions } from '../src/policy/decisions/read-decisions.ts';
import type { EvaluatorOptions, readEvaluatorOptions } from '../src/policy/evaluate/state-options.ts';
import type { Explanation } from '../src/policy/index.ts';
import type { LintOptions, readLintFields } from '../src/policy/lint/lint-options.ts';
import type { ConformanceOptions, readConformanceOptions } from '../src/tools/conformance/conformance-options.ts';

// `satisfies ReadersOf<…>` beside a table does not look into what the table spreads; these tests do.

/** The names that a reader of options accepts. */
type Names<R> = R extends Reader<infer T> ? keyof T : never;
/** The names of the fields of an object that may have others. */
type Known<T> = keyof { [Name in keyof T as string extends Name ? never : Name]: T[Name] };

test('a table of readers has exactly the fields of its type', () => {
  interface Options {
    readonly a?: number;
    readonly b: string;
  }
  ({ a: asGiven, b: asGiven }) satisfies ReadersOf<Options>;
  // @ts-expect-error: `b` has no reader
  ({ a: asGiven }) satisfies ReadersOf<Options>;
  // @ts-expect-error: `c` is not an option
  ({ a: asGiven, b: asGiven, c: asGiven }) satisfies ReadersOf<Options>;
});

test('connection, client and call', () => {
  expectTypeOf<keyof typeof connectionReaders>().toEqualTypeOf<keyof ConnectionOptions>();
  expectTypeOf<Names<typeof readCloseOptions>>().toEqualTypeOf<keyof CloseOptions>();
  expectTypeOf<Names<typeof readChanges>>().toEqualTypeOf<keyof ConnectionChanges>();
  expectTypeOf<Names<typeof readClientOptions>>().toEqualTypeOf<Exclude<keyof ClientOptions, 'connection'>>();
  expectTypeOf<Names<typeof readServiceOptions>>().toEqualTypeOf<keyof ServiceOptions>();
  expectTypeOf<keyof typeof callReaders>().toEqualTypeOf<keyof CallOptions>();
  expectTypeOf<keyof typeof serviceCallReaders>().toEqualTypeOf<keyof ServiceCallOptions>();
  expectTypeOf<Names<typeof readListOptions>>().toEqualTypeOf<keyof ListOptions>();
  expectTypeOf<Names<typeof readTransportOptions>>().toEqualTypeOf<keyof NodeTransportOptions>();
});

test('route and streams', () => {
  expectTypeOf<Names<typeof readRouteOptions>>().toEqualTypeOf<keyof RouteOptions>();
  expectTypeOf<Names<typeof readRequestOptions>>().toEqualTypeOf<keyof RequestOptions>();
  expectTypeOf<Names<typeof readLineOptions>>().toEqualTypeOf<keyof LineOptions>();
  expectTypeOf<Names<typeof readEventOptions>>().toEqualTypeOf<keyof EventOptions>();
  expectTypeOf<Names<typeof readPaginateOptions>>().toEqualTypeOf<keyof PaginateOptions<unknown>>();
  expectTypeOf<Names<typeof readAllowedOptions>>().toEqualTypeOf<keyof AllowedOperationsOptions>();
  expectTypeOf<Names<typeof readUploadOptions>>().toEqualTypeOf<keyof UploadOptions>();
});

test('guard and PDP', () => {
  expectTypeOf<Names<typeof readGuardOptions>>().toEqualTypeOf<keyof GuardOptions>();
  expectTypeOf<Names<typeof readOperationOptions>>().toEqualTypeOf<keyof OperationOptions>();
  expectTypeOf<Names<typeof readPermissionsOptions>>().toEqualTypeOf<keyof PermissionsOptions>();
  expectTypeOf<Names<typeof readPdpOptions>>().toEqualTypeOf<keyof PdpOptions>();
  expectTypeOf<Names<typeof readMappingOptions>>().toEqualTypeOf<keyof MappingOptions>();
});

test('replica, session and token', () => {
  expectTypeOf<Names<typeof readReplicaOptions>>().toEqualTypeOf<keyof ReplicaOptions>();
  expectTypeOf<Names<typeof readPoolTransportOptions>>().toEqualTypeOf<keyof PoolTransportOptions>();
  expectTypeOf<Names<typeof readConformanceOptions>>().toEqualTypeOf<keyof ConformanceOptions>();
  expectTypeOf<Names<typeof readReachedOptions>>().toEqualTypeOf<keyof ReachedOptions>();
  expectTypeOf<Names<typeof readyOptions>>().toEqualTypeOf<keyof ReadyOptions>();
  // `credentials` is there to be refused with a reason.
  expectTypeOf<Names<typeof readClientSessionOptions>>().toEqualTypeOf<keyof ClientSessionOptions>();
  expectTypeOf<Names<typeof readSessionOptions>>().toEqualTypeOf<keyof SessionOptions | 'credentials'>();
  expectTypeOf<Names<typeof readStoreOptions>>().toEqualTypeOf<keyof PermissionStoreOptions>();
  expectTypeOf<Names<typeof readVerifierKeys>>().toEqualTypeOf<keyof VerifierKeys>();
  expectTypeOf<Names<typeof readVerifyTime>>().toEqualTypeOf<keyof VerifyTime>();
  expectTypeOf<Names<typeof readVerifyOptions>>().toEqualTypeOf<keyof VerifyOptions>();
});

test('mock and its ports', () => {
  expectTypeOf<Names<typeof readFaultFields>>().toEqualTypeOf<keyof MockFault>();
  expectTypeOf<Names<typeof readIssueRequest>>().toEqualTypeOf<keyof IssueRequest>();
  expectTypeOf<Names<typeof readForgery>>().toEqualTypeOf<keyof Forgery>();
  expectTypeOf<Names<typeof readWaitOptions>>().toEqualTypeOf<keyof WaitOptions>();
  expectTypeOf<Names<typeof readListenOptions>>().toEqualTypeOf<keyof ListenOptions>();
  expectTypeOf<Names<typeof readPlaybackOptions>>().toEqualTypeOf<keyof PlaybackOptions>();
  expectTypeOf<Names<typeof readListenGrpcOptions>>().toEqualTypeOf<keyof ListenGrpcOptions>();
  expectTypeOf<Names<typeof readHandlersOptions>>().toEqualTypeOf<keyof HandlersOptions>();
  expectTypeOf<Names<typeof readHostedOptions>>().toEqualTypeOf<keyof HostedOptions>();
  expectTypeOf<Names<typeof readValidatorOptions>>().toEqualTypeOf<keyof ValidatorOptions>();
  expectTypeOf<Names<typeof readForwardOptions>>().toEqualTypeOf<keyof ForwardOptions>();
  expectTypeOf<Names<typeof readCustomRouteOptions>>().toEqualTypeOf<keyof CustomRouteOptions>();
});

/** Fields with a check of their own, which is not looked into. */
type Whole = 'policies' | 'roles' | 'bindings' | 'groupBindings' | 'services' | 'now' | 'headers';
/** The paths of the fields of a configuration, sections included. */
type Fields<T> = T extends readonly (infer Item)[]
  ? Fields<Item>
  : T extends object
    ? {
        [Name in keyof T & string]-?:
          | Name
          | (Name extends Whole ? never : `${Name}.${Fields<NonNullable<T[Name]>> & string}`);
      }[keyof T & string]
    : never;

test('configuration of the mock', () => {
  expectTypeOf<Fields<z.input<ReturnType<typeof createSchema>>>>().toEqualTypeOf<Fields<MockConfig>>();
  expectTypeOf<'authentication.token.ttl.min' | 'routes.echo'>().toExtend<Fields<MockConfig>>();
});

test('policy and analysis', () => {
  expectTypeOf<Names<typeof readEvaluatorOptions>>().toEqualTypeOf<keyof EvaluatorOptions>();
  expectTypeOf<Names<typeof readLintFields>>().toEqualTypeOf<keyof LintOptions>();
  expectTypeOf<Names<typeof readAnalysisOptions>>().toEqualTypeOf<keyof AnalysisOptions>();
  expectTypeOf<Names<typeof readCompareOptions>>().toEqualTypeOf<keyof CompareOptions>();
  expectTypeOf<Names<typeof readExcessOptions>>().toEqualTypeOf<keyof ExcessOptions>();
  expectTypeOf<Names<typeof readAqlOptions>>().toEqualTypeOf<keyof AqlOptions>();
  expectTypeOf<Names<typeof readStatementOptions>>().toEqualTypeOf<keyof StatementOptions>();
  expectTypeOf<Names<typeof readWhoCanOptions>>().toEqualTypeOf<keyof WhoCanOptions>();
});

test('failover', () => {
  expectTypeOf<Names<typeof readFailoverOptions>>().toEqualTypeOf<keyof FailoverOptions>();
  expectTypeOf<Names<typeof readFailoverAddress>>().toEqualTypeOf<keyof FailoverAddress>();
});

test('decision logs', () => {
  expectTypeOf<Names<typeof readPlatformLogOptions>>().toEqualTypeOf<keyof PlatformLogOptions>();
  expectTypeOf<Names<typeof readDecisionLogOptions>>().toEqualTypeOf<keyof DecisionLogOptions>();
  expectTypeOf<Names<typeof readDecisionsOptions>>().toEqualTypeOf<keyof ReadDecisionsOptions>();
  type Line = z.infer<ReturnType<typeof createLineSchema>>;
  expectTypeOf<Known<Extract<Line, { kind: 'decision' }>>>().toEqualTypeOf<keyof DecisionLine>();
  expectTypeOf<Known<Extract<Line, { kind: 'gap' }>>>().toEqualTypeOf<keyof GapLine>();
  expectTypeOf<Line>().toExtend<DecisionLine | GapLine>();
  expectTypeOf<DecisionReason>().toEqualTypeOf<Explanation['reason'] | 'failed'>();
});

test('permissions in files', () => {
  expectTypeOf<Names<typeof readPlanOptions>>().toEqualTypeOf<keyof PlanOptions>();
  expectTypeOf<Names<typeof readApplyOptions>>().toEqualTypeOf<keyof ApplyOptions>();
  expectTypeOf<Names<typeof readStateOptions>>().toEqualTypeOf<keyof ReadStateOptions>();
  expectTypeOf<Names<typeof readAnswerOptions>>().toEqualTypeOf<keyof AnswerOptions>();
  expectTypeOf<Names<typeof readFilesOptions>>().toEqualTypeOf<keyof ReadPermissionsOptions>();
  expectTypeOf<Names<typeof readPlanResourcesOptions>>().toEqualTypeOf<keyof PlanResourcesOptions>();
  expectTypeOf<Names<typeof readLintPermissionsOptions>>().toEqualTypeOf<keyof LintPermissionsOptions>();
  expectTypeOf<Names<typeof readResourceOptions>>().toEqualTypeOf<keyof ResourceOptions>();
  expectTypeOf<Names<typeof readExportOptions>>().toEqualTypeOf<keyof ExportOptions>();
  expectTypeOf<Names<typeof readTestOptions>>().toEqualTypeOf<keyof TestOptions>();
});
