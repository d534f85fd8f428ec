import { useSession } from '../page-session.js';
import { AnswerView } from '../ui/loaded-answer.js';
import { Problem } from '../ui/small.js';
import { useLoaded } from '../ui/use-loaded.js';
import { WhoCan } from '../who-can/who-can-view.js';

interface CellExplanationProps {
  readonly user: string;
  readonly action: string;
  readonly resource: string;
  readonly revision: number;
}

export function CellExplanation({ user, action, resource, revision }: CellExplanationProps) {
  const { api } = useSession();
  const { value, problem } = useLoaded(
    () => api.explain({ subject: { user }, action, resource }),
    [user, action, resource, revision],
  );
  return (
    <div class="stack tight">
      <Problem text={problem} />
      {value && <AnswerView answer={value} />}
      <WhoCan action={action} resource={resource} revision={revision} />
    </div>
  );
}
