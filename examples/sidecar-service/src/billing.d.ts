/** The API of the billing service, as openapi-typescript writes it from billing's OpenAPI document. */
export interface paths {
  '/invoices': {
    post: {
      requestBody: { content: { 'application/json': { order: string; total: number } } };
      responses: { 201: { content: { 'application/json': { number: number } } } };
    };
  };
}
