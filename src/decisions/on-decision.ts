export { type OnDecision, startClock, tell } from '../decision-line/on-decision.js';
