import { render } from 'preact';
import { config } from 'zod/mini';
import { App } from '../../console/page/app.js';
import { playground } from './open-playground.js';

// The page's Content-Security-Policy forbids the functions that zod would make from text.
config({ jitless: true });
const root = document.getElementById('app');
if (root !== null) render(<App backend={playground} />, root);
