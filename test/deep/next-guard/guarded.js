import { guardOperation, operationGuards } from 'arango-services/guard';
import services from './services.json';

/** A guard that allows everything and writes down what it is asked. */
function recordingGuard() {
  const asked = [];
  const check = async (_request, { action, resource }) => {
    asked.push(`${action} ${resource}`);
    return { allowed: true, status: 200, token: 't' };
  };
  return { guard: { check }, asked };
}

/** Finds the operation by the request, as a handler that catches all paths does. */
async function inFront(mount, document, request) {
  const { guard, asked } = recordingGuard();
  const { allowed } = await guardOperation(guard, document, { basePath: mount })(request);
  return { allowed, asked };
}

/** A route handler that answers with its operation, its parameters and all decisions about the request. */
export function handlerOf(mount, key) {
  const { document } = services.find((service) => service.mount === mount);
  return async (request, context) => {
    const params = await context.params;
    const { guard, asked } = recordingGuard();
    const { allowed } = await operationGuards(guard, document).for(key).check(request, { params });
    const ran = { mount, key, params, beside: { allowed, asked }, inFront: await inFront(mount, document, request) };
    return new Response('ran', { headers: { 'x-ran': encodeURIComponent(JSON.stringify(ran)) } });
  };
}
