import { render } from 'preact';
import { App } from './app.js';
import { takeKey } from './fragment.js';
import { connect } from './http-api.js';

const root = document.getElementById('app');
if (root !== null) render(<App backend={connect()} givenKey={takeKey()} />, root);
