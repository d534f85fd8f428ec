import type * as Msw from 'msw/http';
import { requirePeer } from './require-peer.js';

const loaded = requirePeer('msw/http', 'msw@3', 'arango-services/mock/msw') as typeof Msw;

export const { HttpResponse, http } = loaded;
