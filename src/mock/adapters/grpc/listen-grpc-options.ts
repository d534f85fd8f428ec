import { optionsOf, type ReadersOf } from '../../../base/lib/readers.js';
import { addressReaders, type ListeningAddress } from '../node/listening-address.js';
import { type Timeouts, timeoutReaders } from '../node/timeouts.js';

/** Options of `listenGrpc`. */
export interface ListenGrpcOptions extends ListeningAddress, Timeouts {}

export const readListenGrpcOptions = optionsOf({
  ...addressReaders,
  ...timeoutReaders,
} satisfies ReadersOf<ListenGrpcOptions>);
