import { actor, whyNoChanges } from '../access.ts'
import { useState } from 'preact/hooks'
import { callApi } from '../api.ts'
import { useAttempt } from '../attempt.ts'
import { Select } from '../ui/field.tsx'
import { Failure } from '../ui/note.tsx'
import { type Known, type QueryParams, get, useRead } from '../query.ts'
import { href, visit } from '../route.ts'
import type { Watch, WatchDetail } from '../../features/watch/models.ts'

/** How long a watch may last, the usual length first. */
const LENGTHS = ['2h', '1h', '8h', '24h', '7d'] as const

const inUnits = (length: string): string => length.replace(/(\d+)/, '$1 ')

/** After a promotion: watches what has come live, unless the policy has started that already. */
export function WatchIt({
  agent,
  environment,
  isPlain = false,
}: {
  agent: string
  environment: string
  isPlain?: boolean
}) {
  const running = useWatches({ agent, env: environment, state: 'watching' }).data?.watches
  const { problem, isSending, attempt } = useAttempt()
  const [length, setLength] = useState<string>(LENGTHS[0])
  async function start(): Promise<void> {
    const body = {
      agent_id: agent,
      environment,
      for: length,
      auto_rollback: false,
      actor: actor.value.trim(),
    }
    const { watch_id } = await callApi<Watch>({ method: 'POST', path: 'v1/watches', body })
    visit(href('place', { agent, env: environment, watch: watch_id }))
  }
  if (running === undefined) return null
  if (running.length > 0)
    return <a href={href('place', { agent, env: environment, watch: running[0]!.watch_id })}>It is watched</a>
  return (
    <>
      <Failure message={problem} />
      <span class="actions">
        <button
          type="button"
          class={isPlain ? 'menu-item' : 'button'}
          title={whyNoChanges.value}
          disabled={isSending}
          onClick={() => void attempt(start)}
        >
          Watch it for {inUnits(length)}
        </button>
        <Select
          kind="in-words"
          label="How long to watch"
          value={length}
          options={LENGTHS.map(name => [name, inUnits(name)])}
          onChange={setLength}
        />
      </span>
    </>
  )
}

const useWatches = (filters: QueryParams | null): Known<{ watches: Watch[] }> =>
  useRead(filters === null ? null : get('v1/watches', { ...filters, limit: 100 }))

/** One watch with its last checks. */
export const useWatch = (id: string): Known<WatchDetail> =>
  useRead(id === '' ? null : get(`v1/watches/${encodeURIComponent(id)}`))
