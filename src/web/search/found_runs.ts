import type { FoundRuns } from '../../features/explore/models.ts'
import { type Known, get, useRead } from '../query.ts'
import { ONCE_MS } from '../reads.ts'
import { href } from '../route.ts'

/** Something that a search found, and where it is shown. */
export interface Hit {
  readonly kind: string
  readonly text: string
  readonly about: string
  readonly link: string
}

/** Runs of any release by an id of theirs. */
export function useHits(id: string): { hits: readonly Hit[]; isLoading: boolean } {
  const found = useFoundRuns(id)
  return { hits: (found.data?.runs ?? []).map(run => hitOf(run, id)), isLoading: found.loading }
}

const useFoundRuns = (id: string): Known<FoundRuns> =>
  useRead<FoundRuns>(id === '' ? null : get('v1/runs/find', { id, limit: 20 }), ONCE_MS)

type FoundRun = FoundRuns['runs'][number]

function hitOf({ matched_by, event }: FoundRun, id: string): Hit {
  const filter = matched_by === 'run' ? aroundRun(event) : { [matched_by]: id }
  return {
    kind: matched_by === 'run' ? 'Run' : `Run of the ${matched_by}`,
    text: event.run_id,
    about: `${event.agent_id} in ${event.environment}, ${event.metrics.success ? 'success' : 'failed'}`,
    link: href('runs', {
      release: event.release_id,
      env: event.environment,
      window: '30d',
      ...filter,
      run: event.run_id,
    }),
  }
}

/** The list of runs that surely holds a run: of its trace or session where it has one. */
function aroundRun(event: FoundRun['event']): Record<string, string> {
  const { trace_id, session_id } = event.request ?? {}
  if (trace_id != null) return { trace: trace_id }
  return session_id == null ? { tenant: event.tenant_id, task: event.task_id } : { session: session_id }
}
