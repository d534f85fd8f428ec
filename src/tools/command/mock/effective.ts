import { jsonText } from '../../../base/lib/json-text.js';
import { effectiveConfig } from '../../../mock/config/effective-config.js';
import type { Settings } from '../../../mock/config/mock-config.js';

/** The output of `--print-config`, which is also a valid seed file. */
export const formatConfig = (settings: Settings): string => jsonText(effectiveConfig(settings), '  ');
