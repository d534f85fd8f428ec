import { InvalidArgumentError } from '../../../base/errors.js';
import { expected, readArgument, readObject } from '../../../base/lib/readers.js';
import { isObject } from '../../../base/lib/values.js';
import { targetFault } from '../../forward/target.js';
import { createRouter, type Router } from '../../server/router.js';
import type { ForwardOptions, MockServiceOptions, ServiceHandler, ServiceHandlers } from './service-types.js';

/** An operation of a service: its handler, or the origin that it is forwarded to. */
export interface Operation {
  readonly method: string;
  readonly pattern: string;
  readonly answer: ServiceHandler | string;
  /** The names of its parameters, in order. A name may hold any character, so the router gets numbers. */
  readonly names: readonly string[];
}

/** The options of a call, for handlers or for a running service. */
export type AddOptions = MockServiceOptions & ForwardOptions;

/** The part of a service that one call of `mock.service` adds. */
export interface ServiceLayer {
  /** The gateway's authentication of requests to the service; options that the call omits stay as they were. */
  readonly options: Pick<MockServiceOptions, 'authentication' | 'passMode'>;
  /** The operations that the call of `mock.service` defines. */
  readonly own: readonly Operation[];
  /** The operations that the call's validator answers, and those of the service that it forwards to. */
  readonly others: readonly Operation[];
}

/** The operation's name in errors, and its identity: names of parameters make no difference. */
const nameOf = ({ method, pattern }: Operation): string => `${method} ${pattern.replace(/\/:\d+(?=\/|$)/g, '/{}')}`;

function readOperations(handlers: ServiceHandlers): Operation[] {
  return Object.entries(handlers).flatMap(([path, item = {}]) => {
    const names: string[] = [];
    const pattern = path.replace(/\/\{([^{}/]+)\}(?=\/|$)/g, (_, parameter) => `/:${names.push(parameter)}`);
    const refuse = () => expected('handlers', 'functions by method, for paths like "/orders/{id}"', path);
    // The item may be an option in the wrong argument, or a handler whose key holds both method and path.
    if (!isObject(item)) throw refuse();
    return Object.entries(item).map(([method, answer]) => {
      if (typeof answer !== 'function' || !/^\/[^{]*$/.test(pattern)) throw refuse();
      return { method: method.toUpperCase(), pattern, answer, names };
    });
  });
}

/**
 * Reads what a call of `mock.service` adds to the service as it is.
 * @throws InvalidArgumentError for handlers or an origin that are not valid, and for what the service has already.
 */
export function readLayer(target: unknown, options: AddOptions, before: readonly ServiceLayer[]): ServiceLayer {
  const last = before.at(-1)?.options;
  const layer = {
    authentication: options.authentication ?? last?.authentication,
    passMode: options.passMode ?? last?.passMode,
  };
  const replaceable = '; { replace: true } replaces it';
  if (typeof target === 'string') {
    const fault = targetFault(target, options.allowRemote === true);
    if (fault !== undefined) throw new InvalidArgumentError('url', fault);
    if (last !== undefined && !options.replace)
      throw new InvalidArgumentError('name', `is a service already${replaceable}`);
    const forwarded = { method: '*', pattern: '/*', answer: new URL(target).origin, names: [] };
    return { options: layer, own: [], others: [forwarded] };
  }
  const handlers = readArgument(target, 'handlers', readObject) as ServiceHandlers;
  const all = readOperations(options.validate?.wrap(handlers, options) ?? handlers);
  const names = readOperations(handlers).map(nameOf);
  const own = all.filter((operation) => names.includes(nameOf(operation)));
  const namesBefore = before.flatMap((layer) => layer.own.map(nameOf));
  const twice = names.find((name) => namesBefore.includes(name));
  if (twice !== undefined && !options.replace)
    throw new InvalidArgumentError('handlers', `the service has ${twice} already${replaceable}`);
  return { options: layer, own, others: all.filter((operation) => !own.includes(operation)) };
}

/** The operations of all layers. Operations of calls override those of validators, and later ones earlier ones. */
export function combine(layers: readonly ServiceLayer[]): Router<Operation> {
  const router = createRouter<Operation>();
  const all = [...layers.flatMap(({ others }) => others), ...layers.flatMap(({ own }) => own)];
  for (const operation of all) router.add(operation.method, operation.pattern, operation);
  return router;
}
