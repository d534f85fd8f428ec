import { parseAst } from 'vite';

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

const working = new Set(['CallExpression', 'NewExpression', 'MemberExpression', 'SpreadElement']);
const waiting = new Set(['ArrowFunctionExpression', 'FunctionExpression']);

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** The keys of a class that are evaluated with it: `[Symbol.for('…')]() {}`. */
function computedKeysOf(node: Node & { readonly body?: unknown }): Node[] {
  const members = isNode(node.body) && 'body' in node.body && Array.isArray(node.body.body) ? node.body.body : [];
  return members.filter(({ computed }) => computed === true).map(({ key }) => key);
}

/** True if evaluating an expression does more than name a value. Function bodies do not count. */
function works(node: Node): boolean {
  if (waiting.has(node.type)) return false;
  if (node.type === 'ClassExpression') return computedKeysOf(node).some(works);
  if (working.has(node.type)) return true;
  return Object.values(node)
    .flat()
    .some((child) => isNode(child) && works(child));
}

/**
 * Marks what the top level of a built module computes, so that bundlers leave it out if it is unused: rollup finds
 * out by itself that making a reader has no effect, esbuild and Bun do not. Nothing at the top level of this package
 * has one.
 */
export function markPure(code: string): string {
  let marked = '';
  let at = 0;
  for (const statement of parseAst(code).body) {
    if (statement.type !== 'VariableDeclaration') continue;
    for (const { init } of statement.declarations) {
      if (!isNode(init) || !works(init)) continue;
      const value = code.slice(init.start, init.end);
      if (/\bawait\b/.test(value)) continue;
      marked += `${code.slice(at, init.start)}/*@__PURE__*/(()=>(${value}))()`;
      at = init.end;
    }
  }
  return marked + code.slice(at);
}
