import { RESULT_WORDS, resultOf } from '../../rules/result.ts'
import { useState } from 'preact/hooks'
import type { ActionDetail } from '../../models/answers/action.ts'
import type { ExplainedLimit } from '../../models/answers/statistics.ts'
import type { Explanation } from '../../features/explain/models.ts'
import { Badge, ResultBadge, Reasons, type Tone } from '../ui/badge.tsx'
import { Select } from '../ui/field.tsx'
import { Axis } from '../ui/axis.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Words } from '../ui/text.tsx'
import { counted } from '../format.ts'
import { limitLabel, limitOf } from '../../models/limits.ts'
import { limitFormat } from '../ui/change.ts'
import { Loaded } from '../ui/states.tsx'
import { type Known, get, useRead } from '../query.ts'
import { ONCE_MS, usePolicy } from '../reads.ts'

const RECORDED = 'the policy of the record'
const PRESENT = 'the policy in force now'

/** Decides a recorded action again from its evidence, limit by limit: by its own policy, or by another. */
export function Again({ action: { action_id, evidence } }: { action: ActionDetail }) {
  const [by, setBy] = useState(RECORDED)
  const present = usePolicy().data
  if (evidence === null) return null
  const policy = by === PRESENT ? present : undefined
  return (
    <>
      <h3>Limit by limit</h3>
      <div class="again">
        <Select
          label="Decide again by"
          value={by}
          onChange={setBy}
          options={[RECORDED, ...(present === undefined ? [] : [PRESENT])]}
        />
      </div>
      <Loaded known={useExplanation(action_id, policy)} lines={5}>
        {explanation => <Explained explanation={explanation} />}
      </Loaded>
    </>
  )
}

export function useExplanation(actionId: string, policy?: object): Known<Explanation> {
  const path = `v1/actions/${encodeURIComponent(actionId)}/explain`
  return useRead<Explanation>(
    policy === undefined ? get(path) : { method: 'POST', path, body: { policy } },
    ONCE_MS,
  )
}

function Explained({ explanation: { limits, recorded, replayed, equal, by } }: { explanation: Explanation }) {
  return (
    <>
      <p role="status">
        {replayed.passed === null ? (
          <Badge tone="plain">not known</Badge>
        ) : (
          <ResultBadge result={resultOf({ ...replayed, passed: replayed.passed })} />
        )}{' '}
        {equal ? 'as on record' : `on record: ${RESULT_WORDS[resultOf(recorded)]}`}
        {by === 'record' && !equal && <strong> The record differs from its own evidence.</strong>}
      </p>
      {limits.length === 0 ? (
        <p class="faint">This policy sets no limit.</p>
      ) : (
        <Table
          caption="Limits"
          columns={COLUMNS}
          rows={limits}
          keyOf={limit => limits.indexOf(limit)}
          toneOf={({ verdict }) => VERDICTS[verdict][0]}
        />
      )}
      {by === 'policy' && <Reasons reasons={replayed.reasons} />}
      {replayed.unknown.length > 0 && (
        <>
          <p class="hint">The evidence lacks what {counted(replayed.unknown.length, 'limit')} would take:</p>
          <Reasons reasons={replayed.unknown} />
        </>
      )}
    </>
  )
}

const VERDICTS = {
  pass: ['ok', 'within'],
  fail: ['bad', 'beyond'],
  inconclusive: ['warn', 'too early to tell'],
  unmeasured: ['plain', 'not measured'],
  unknown: ['plain', 'not known'],
} as const satisfies Readonly<Record<ExplainedLimit['verdict'], readonly [Tone, string]>>

const COLUMNS: readonly Column<ExplainedLimit>[] = [
  {
    label: 'Limit',
    cell: ({ policy_key: key }) => {
      const limit = limitOf(key)
      if (limit !== undefined) return limitLabel(limit)
      return key === 'require_high_diff_confidence' ? 'Confidence' : key
    },
  },
  {
    label: 'Measured',
    kind: 'grow',
    cell: row => {
      const { value, limit, low, high } = row
      return (
        <>
          {typeof value === 'number' && typeof limit === 'number' && (
            <Axis value={value} low={low} high={high} limit={limit} />
          )}
          <span class="figures">
            <Words>{measuredText(row)}</Words>
          </span>
        </>
      )
    },
  },
  {
    label: 'Verdict',
    cell: ({ verdict }) => {
      const [tone, words] = VERDICTS[verdict]
      return <Badge tone={tone}>{words}</Badge>
    },
  },
]

/** `$0.0165, limit $0.0120`, or `+79.1 % (+72.0 to +86.2), limit +30.0 %`. */
function measuredText({ policy_key, value, limit, low, high }: ExplainedLimit): string {
  const { write, interval } = limitFormat(policy_key)
  const said = (each: number | string | null): string =>
    typeof each === 'number' ? write(each) : (each ?? 'nothing')
  const measured = [value === null ? '' : said(value), interval({ low, high })].filter(Boolean).join(' ')
  return [measured, `limit ${said(limit)}`].filter(Boolean).join(', ')
}
