import type * as JsonSchema from '@cfworker/json-schema';
import { requirePeer } from './require-peer.js';

const loaded = requirePeer(
  '@cfworker/json-schema',
  '@cfworker/json-schema@4',
  'arango-services/mock/openapi',
) as typeof JsonSchema;

export const { Validator } = loaded;
