import { useState } from 'preact/hooks';
import type { FaultOrder } from '../../api.js';
import { useSession } from '../page-session.js';
import { Choice, Form, TextField } from '../ui/field.js';
import { Problem } from '../ui/small.js';
import { useAction } from '../ui/use-action.js';

const kinds = [
  ['status', 'Answer with a status'],
  ['delay', 'Wait first'],
  ['timeout', 'Time out at the gateway'],
  ['drop', 'Drop the connection'],
  ['evaluation', 'Fail the next decision'],
] as const;

type Kind = (typeof kinds)[number][0];

interface Fields {
  readonly kind: Kind;
  readonly method: string;
  readonly path: string;
  readonly status: string;
  readonly ms: string;
  readonly times: string;
}

const empty: Fields = { kind: 'status', method: '', path: '', status: '503', ms: '3000', times: '1' };

function orderOf({ kind, method, path, status, ms, times }: Fields): FaultOrder {
  const many = times === 'always' ? 'always' : Number(times);
  if (kind === 'evaluation') return { evaluation: true, times: many };
  const where = { ...(method === '' ? {} : { method }), ...(path.trim() === '' ? {} : { path: path.trim() }) };
  const effects = {
    status: { status: Number(status) },
    delay: { delayMs: Number(ms) },
    timeout: { timeoutMs: Number(ms) },
    drop: { drop: true },
  };
  return { ...where, ...effects[kind], times: many };
}

/** Adds a fault. */
export function FaultForm({ onAdded }: { onAdded(): void }) {
  const { api } = useSession();
  const [fields, setFields] = useState(empty);
  const { problem, run } = useAction();
  const set = (name: keyof Fields) => (value: string) => setFields({ ...fields, [name]: value });
  const { kind } = fields;
  return (
    <Form
      label="Add a fault"
      onSend={() =>
        run(async () => {
          await api.addFault(orderOf(fields));
          onAdded();
        })
      }
    >
      <div class="columns">
        <Choice label="What happens" value={kind} choices={kinds} onValue={set('kind')} />
        {kind === 'status' && <TextField label="Status" mono value={fields.status} onValue={set('status')} />}
        {(kind === 'delay' || kind === 'timeout') && (
          <TextField label="Milliseconds" mono value={fields.ms} onValue={set('ms')} />
        )}
        {kind !== 'evaluation' && (
          <>
            <Choice
              label="Method"
              value={fields.method}
              choices={[['', 'Any'], ...['GET', 'POST', 'PUT', 'DELETE'].map((name) => [name, name] as const)]}
              onValue={set('method')}
            />
            <TextField label="Path" mono value={fields.path} placeholder="Any, or /evaluate" onValue={set('path')} />
          </>
        )}
        <Choice
          label="How often"
          value={fields.times}
          choices={[
            ['1', 'Once'],
            ['2', 'Twice'],
            ['5', 'Five times'],
            ['always', 'Until it is removed'],
          ]}
          onValue={set('times')}
        />
      </div>
      <Problem text={problem} />
      <div class="row">
        <button type="submit" class="primary push">
          Add the fault
        </button>
      </div>
    </Form>
  );
}
