/** The HTTP methods of operations; TRACE is left out, because `fetch` cannot send it. */
export const operationMethods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const;
