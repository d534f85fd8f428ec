import type { CustomResourceKind } from '../model/resource-kinds.js';

const longestName = 253;
const longestPart = 63;
const longestSlug = 40;

/** True for a part of a name in Kubernetes. */
const isLabel = (text: string): boolean => /^[-a-z0-9]+$/.test(text) && !text.startsWith('-') && !text.endsWith('-');

/** The problem of a name that Kubernetes does not accept. */
export const resourceNameFault = (name: string): string | undefined =>
  name.length <= longestName && name.split('.').every(isLabel)
    ? undefined
    : `must be lower-case letters, digits, "-" and ".", at most ${longestName} characters`;

/** The problem of a deployment's name. */
export const deploymentFault = (name: string): string | undefined =>
  name.length <= 63 && isLabel(name) ? undefined : 'must be lower-case letters, digits and "-", at most 63 characters';

/** FNV-1a. Names of resources in clusters hold it, so it must not change: a renamed resource is deleted and created. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}

/** Derives a part of a Kubernetes name from a text; equal texts give equal parts. */
function partOf(text: string): string {
  if (text.length <= longestPart && isLabel(text)) return text;
  const slug = text.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  const words = slug.slice(0, longestSlug).split('-').filter(Boolean);
  return [...words, hashOf(text)].join('-');
}

/** Derives the Kubernetes names of bindings' resources. The services never see these names. */
export class ResourceNames {
  readonly #taken = new Set<string>();

  /** The name for a binding of two items, which does not depend on other bindings. */
  of(kind: CustomResourceKind, a: string, b: string): string {
    const wanted = `${partOf(a)}.${partOf(b)}`;
    let name = wanted;
    for (let i = 2; this.#taken.has(`${kind} ${name}`); i++) name = `${wanted}-${i}`;
    this.#taken.add(`${kind} ${name}`);
    return name;
  }
}
