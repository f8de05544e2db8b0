import type { BoardEntry } from '../../../models/answers/board.ts'
import { actor, whyNoChanges } from '../../../web/access.ts'
import { callApi } from '../../../web/api.ts'
import { useAttempt } from '../../../web/attempt.ts'
import { Badge } from '../../../web/components/badge.tsx'
import { Failure } from '../../../web/components/note.tsx'
import { type Known, type QueryParams, get, useRead } from '../../../web/query.ts'
import { href, visit } from '../../../web/route.ts'
import type { Watch } from '../models.ts'

const LENGTH = '2h'

/** On the board: leads to the watches of a place where the live release regresses. */
export function Regressed({ entry: { agent_id, environment } }: { entry: BoardEntry }) {
  return (
    <a href={href('watches', { agent: agent_id, env: environment })}>
      <Badge tone="bad">regressed in its watch</Badge>
    </a>
  )
}

/** After a promotion: watches what has come live, unless the policy has started that already. */
export function WatchIt({ agent, environment }: { agent: string; environment: string }) {
  const running = useWatches({ agent, env: environment, state: 'watching' }).data?.watches
  const { problem, isSending, attempt } = useAttempt()
  async function start(): Promise<void> {
    const body = {
      agent_id: agent,
      environment,
      for: LENGTH,
      auto_rollback: false,
      actor: actor.value.trim(),
    }
    const { watch_id } = await callApi<Watch>({ method: 'POST', path: 'v1/watches', body })
    visit(href('watches', { watch: watch_id }))
  }
  if (running === undefined) return null
  if (running.length > 0) return <a href={href('watches', { watch: running[0]!.watch_id })}>It is watched</a>
  return (
    <>
      <Failure message={problem} />
      <button
        type="button"
        class="button"
        title={whyNoChanges.value}
        disabled={isSending}
        onClick={() => void attempt(start)}
      >
        Watch it for 2 h
      </button>
    </>
  )
}

export const useWatches = (filters: QueryParams | null): Known<{ watches: Watch[] }> =>
  useRead(filters === null ? null : get('v1/watches', { ...filters, limit: 100 }))
