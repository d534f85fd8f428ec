import { useRef, useState } from 'preact/hooks';
import { longestFile } from '../../api.js';
import { messageOf } from './use-loaded.js';

/** A permissions file that was chosen or dropped. */
export interface DroppedFile {
  readonly name: string;
  readonly text: string;
}

/**
 * The permissions file of a field. `take` reads another one, and `unread` says why the last one was not read.
 * @param onTaken called with each file, and the number of files that were dropped at once.
 */
export function useDroppedFile(onTaken: (file: File, dropped: number) => void) {
  const [dropped, setDropped] = useState<DroppedFile>();
  const [unread, setUnread] = useState<string>();
  const latest = useRef<File>();
  const take = (file: File, count: number): void => {
    onTaken(file, count);
    latest.current = file;
    const fail = (problem: string) => file === latest.current && setUnread(problem);
    // A log that was dropped here by mistake would fill the memory of the tab.
    if (file.size > longestFile) {
      fail(`The file holds more than ${longestFile / 1_000_000} MB: it cannot be a permissions file.`);
      return;
    }
    file.text().then(
      (text) => {
        if (file !== latest.current) return;
        setUnread(undefined);
        setDropped({ name: file.name, text });
      },
      (error) => fail(messageOf(error)),
    );
  };
  return { dropped, unread, take };
}
