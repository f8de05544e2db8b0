import { type Limit, limitLabel, limitOf } from '../../models/limits.ts'
import { type Format, milliseconds, percent, points, signed, usd } from '../format.ts'
import { Axis } from './axis.tsx'
import { Badge, type Tone } from './badge.tsx'
import { Words } from './text.tsx'

/** One limit of a policy, and what was measured. */
export interface Weighed {
  readonly policy_key: string
  readonly value: number | null
  readonly limit: number | null
  readonly low: number | null
  readonly high: number | null
  readonly verdict: 'pass' | 'fail' | 'inconclusive' | 'unmeasured' | 'unknown'
  /** Values that are no numbers, in words. */
  readonly said?: string
  /** Why it came out so. */
  readonly why?: string | null
}

const change: Format = value => signed(value, percent)
const rise: Format = value => signed(value, points)

const plain: Format = value => `${Number(value.toPrecision(4))}`

const FORMATS: Readonly<Record<Limit['unit'], Format>> = {
  usd,
  ms: milliseconds,
  share: percent,
  rise: change,
  points: rise,
}

/** What a limit is called, and how its values are written. */
function shownAs(key: string): readonly [name: string, format: Format] {
  const limit = limitOf(key)
  if (limit !== undefined) return [limitLabel(limit), FORMATS[limit.unit]]
  return [key === 'require_high_diff_confidence' ? 'Confidence' : key, plain]
}

const SAID: Readonly<Record<Weighed['verdict'], readonly [Tone, string]>> = {
  pass: ['ok', 'within'],
  fail: ['bad', 'beyond'],
  inconclusive: ['warn', 'too early to tell'],
  unmeasured: ['plain', 'not measured'],
  unknown: ['plain', 'not known'],
}

/** Limits one below the other, each on an axis with what was measured, what that may really be, and the limit. */
export function Forest({ label, rows }: { label: string; rows: readonly Weighed[] }) {
  return (
    <ul class="forest" aria-label={label}>
      {rows.map((row, index) => (
        <Row key={`${row.policy_key} ${index}`} row={row} />
      ))}
    </ul>
  )
}

function Row({ row }: { row: Weighed }) {
  const [name, format] = shownAs(row.policy_key)
  const [tone, words] = SAID[row.verdict]
  const said = row.said === undefined ? words : row.verdict === 'pass' ? 'met' : 'not met'
  return (
    <li class={tone}>
      <strong>{name}</strong>
      {row.said === undefined ? <Axis {...row} /> : <span />}
      <span class="figures">{row.said ?? figuresText(row, format)}</span>
      <Badge tone={tone}>{said}</Badge>
      {row.why != null && row.verdict !== 'pass' && (
        <span class="hint">
          <Words>{row.why}</Words>
        </span>
      )}
    </li>
  )
}

/** `$0.0165, limit $0.0120 (37 % over)` */
function figuresText({ value, limit, low, high }: Weighed, format: Format): string {
  if (limit === null) return value === null ? '' : format(value)
  if (value === null) return `limit ${format(limit)}`
  const interval = low === null && high === null ? '' : `(${rangeText(low, high, format)})`
  const over =
    limit > 0 && value > limit && interval === '' ? ` (${share((value - limit) / limit)} over)` : ''
  return `${[format(value), interval].filter(Boolean).join(' ')}, limit ${format(limit)}${over}`
}

function rangeText(low: number | null, high: number | null, format: Format): string {
  if (low === null) return `up to ${format(high!)}`
  return high === null ? `${format(low)} or more` : `${format(low)} to ${format(high)}`
}

const share = (fraction: number): string => percent(fraction).replace(/\.\d/, '')
