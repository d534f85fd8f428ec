import { useId, useState } from 'preact/hooks';

/** The field of a permissions file. */
export const permissionsField = {
  label: 'A permissions.yaml: choose it, or drop it here',
  accept: '.yaml,.yml,.json',
} as const;

interface FileFieldProps {
  readonly label: string;
  /** Endings of names that the file picker offers. */
  readonly accept: string;
  /** Takes the first of the files that were dropped at once. */
  onFile(file: File, dropped: number): void;
}

/** Takes a file by a button or by dropping it. */
export function FileField({ label, accept, onFile }: FileFieldProps) {
  const id = useId();
  const [isOver, setOver] = useState(false);
  const over = (event: DragEvent) => {
    event.preventDefault();
    setOver(true);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a second way; the field inside takes the keyboard
    <div
      class={isOver ? 'drop over' : 'drop'}
      onDragOver={over}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        event.stopPropagation();
        setOver(false);
        const files = event.dataTransfer?.files;
        if (files?.[0]) onFile(files[0], files.length);
      }}
    >
      <label for={id}>{label}</label>
      <input
        id={id}
        type="file"
        accept={accept}
        onClick={(event) => {
          // The same file may be chosen again after it changed.
          event.currentTarget.value = '';
        }}
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          if (file) onFile(file, 1);
        }}
      />
    </div>
  );
}
