import { isObject } from '../../../base/lib/values.js';
import { formatPath } from '../../../policy/index.js';
import type { UsageProblem } from '../shared/usage-error.js';

/** A service of the command line. */
export interface GivenService {
  readonly name: string;
  readonly url: string;
  /** The paths of the service and of its URL, as errors of the configuration name them. */
  readonly paths: readonly string[];
}

/** Reads the values of `--service`, as `orders=http://127.0.0.1:3000`. The configuration checks names and URLs. */
export function readServices(texts: readonly string[]): readonly GivenService[] {
  return texts.map((text) => {
    const at = text.indexOf('=');
    const [name, url] = at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
    return { name, url, paths: [[], ['url']].map((rest) => formatPath(['services', name, ...rest])) };
  });
}

/** The problems of names that are given twice. */
export function findServicesTwice(services: readonly GivenService[]): readonly UsageProblem[] {
  const names = services.map(({ name }) => name);
  const twice = new Set(names.filter((name, i) => names.indexOf(name) < i));
  return [...twice].map((name) => ({ where: '--service', message: `${name} is given twice` }));
}

/**
 * Adds the services to a configuration, which the seed file's services of the same name keep except for the URL.
 * A configuration that is not an object stays, so that the check reports it.
 */
export function addServices(config: unknown, services: readonly GivenService[]): unknown {
  if (services.length === 0 || (config !== undefined && !isObject(config))) return config;
  const before = config?.services;
  if (before !== undefined && !isObject(before)) return config;
  const added = services.map(({ name, url }) => {
    const service = isObject(before?.[name]) ? before[name] : {};
    return [name, { ...service, url }] as const;
  });
  return { ...config, services: { ...before, ...Object.fromEntries(added) } };
}
