import { useId, useState } from 'preact/hooks';

/** Takes a file by a button or by dropping it. */
export function FileField({ onFile }: { onFile(file: File): void }) {
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
        setOver(false);
        const file = event.dataTransfer?.files[0];
        if (file) onFile(file);
      }}
    >
      <label for={id}>A permissions.yaml: choose it, or drop it here</label>
      <input
        id={id}
        type="file"
        accept=".yaml,.yml,.json"
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          if (file) onFile(file);
        }}
      />
    </div>
  );
}
