import { parseSync, Visitor } from 'vite';

/** The extent of a function in a source file. */
export interface FunctionExtent {
  readonly file: string;
  /** The line on which it begins, from 1. */
  readonly line: number;
  readonly lines: number;
  readonly parameters: number;
}

/** The part of a function's node that is measured. */
interface FunctionNode {
  readonly start: number;
  readonly end: number;
  readonly params: readonly unknown[];
  readonly body: unknown;
}

/** Measures each function with a body in source code: declarations, methods, callbacks, and those inside others. */
export function functionsIn(file: string, code: string): FunctionExtent[] {
  const found: FunctionExtent[] = [];
  const lineAt = (offset: number) => code.slice(0, offset).split('\n').length;
  const measure = ({ start, end, params, body }: FunctionNode): void => {
    // Overloads and abstract methods have none.
    if (body === null) return;
    const line = lineAt(start);
    found.push({ file, line, lines: lineAt(end) - line + 1, parameters: params.length });
  };
  const { program } = parseSync(file, code);
  new Visitor({ FunctionDeclaration: measure, FunctionExpression: measure, ArrowFunctionExpression: measure }).visit(
    program,
  );
  return found;
}
