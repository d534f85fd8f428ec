// Validation of a mocked service's requests and answers by its OpenAPI document.
export { openApiValidator, type ValidatorOptions } from './validator.js';
