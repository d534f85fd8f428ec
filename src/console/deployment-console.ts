import { createDeploymentConsole, type ShownDeployment } from './deployment-api.js';
import { type ServedConsole, serveConsole } from './server/serve.js';

export async function openDeploymentConsole(deployment: ShownDeployment, port: number): Promise<ServedConsole> {
  const api = createDeploymentConsole(deployment);
  try {
    const served = await serveConsole(api, port);
    return {
      ...served,
      close() {
        api.close();
        return served.close();
      },
    };
  } catch (error) {
    api.close();
    throw error;
  }
}
