import type { PricingEntry } from '../../../models/documents/pricing.ts'
import { eventCostUsd } from '../../../rules/cost.ts'
import type { BoardEntry } from '../../../models/answers/board.ts'
import { Changes, Row } from '../../components/changes.tsx'
import { Words } from '../../components/text.tsx'
import { roundPercent } from '../../components/change.ts'
import { count, signed, usd } from '../../format.ts'
import { useBoard, useRelease, useRuns } from '../../reads.ts'

/** Runs of a release that represent its week. */
const SAMPLE = 500

interface Tables {
  readonly provider: string
  readonly version: string
  readonly before: readonly PricingEntry[]
  readonly after: readonly PricingEntry[]
}

/** What the last week of each live release that names a table would have cost by another. */
export function LastWeek(tables: Tables) {
  const live = (useBoard().data?.board ?? []).filter(({ promoted }) => promoted !== null)
  return (
    <>
      <h3>What it makes of the last week</h3>
      <Changes what="Live release" sides={['Runs', 'Cost now', 'Cost then', 'Change']}>
        {live.map(entry => (
          <Week key={JSON.stringify([entry.agent_id, entry.environment])} entry={entry} tables={tables} />
        ))}
      </Changes>
      <p class="hint">
        Live releases that name {tables.provider} / <Words>{tables.version}</Words>. Of many runs the newest{' '}
        {SAMPLE} represent all.
      </p>
    </>
  )
}

function Week({
  entry: { agent_id, environment, promoted },
  tables: { provider, version, before, after },
}: {
  entry: BoardEntry
  tables: Tables
}) {
  const id = promoted?.release_id ?? ''
  const reference = useRelease(id).data?.artifact_json.spec.pricing_reference
  const isOf = reference?.provider === provider && reference.pricing_version === version
  const runs = useRuns(isOf ? { release_id: id, environment, window: '7d', limit: SAMPLE } : null).data
  if (runs === undefined) return null
  const costOf = (entries: readonly PricingEntry[]): number | null => {
    const rates = new Map(entries.map(one => [one.model, one]))
    const costs = runs.events.map(event => eventCostUsd(event, rates))
    const isPriced = costs.length > 0 && !costs.includes(null)
    if (!isPriced) return null
    return (costs.reduce<number>((sum, cost) => sum + cost!, 0) / costs.length) * runs.matched_total
  }
  const [now, then] = [costOf(before), costOf(after)]
  const change = now === null || then === null || now === 0 ? null : then / now - 1
  return (
    <Row
      name={
        <>
          <Words>{`${agent_id} ${promoted?.version ?? ''}`}</Words> in <Words>{environment}</Words>
        </>
      }
      cells={[
        count(runs.matched_total),
        now === null ? 'no price' : usd(now),
        then === null ? 'no price' : usd(then),
        change === null ? '–' : signed(change, roundPercent),
      ]}
      differs={change !== 0}
    />
  )
}
