import type { Policy } from '../../models/documents/policy.ts'
import { LIMITS, type Limit, limitLabel, limitsOn } from '../../models/limits.ts'
import { ROLLBACK_KEYS } from '../../models/names.ts'
import { counted, milliseconds, percent, points, usd } from '../format.ts'

export type Key = Exclude<keyof Policy, 'policy_id' | 'overrides'>

/** How the number of a limit is written: by `factor` larger on the page than in the document. */
const NUMBERS = {
  usd: { unit: 'US dollars', factor: 1, format: usd, most: Infinity },
  ms: { unit: 'ms', factor: 1, format: milliseconds, most: Infinity },
  share: { unit: '%', factor: 100, format: percent, most: 1 },
  rise: { unit: '%', factor: 100, format: (value: number) => `+${percent(value)}`, most: 2 },
  points: { unit: 'percentage points', factor: 100, format: points, most: 1 },
  runs: { unit: 'runs', factor: 1, format: (value: number) => counted(value, 'run'), most: Infinity },
  calls: { unit: 'calls', factor: 1, format: (value: number) => counted(value, 'call'), most: Infinity },
  days: { unit: 'days', factor: 1, format: (value: number) => counted(value, 'day'), most: 3650 },
} as const
type NumberKind = keyof typeof NUMBERS

/** Values with their labels. */
type Options = readonly (readonly [value: string | boolean, words: string])[]

export interface PolicyField {
  readonly key: Key
  readonly label: string
  readonly kind: NumberKind | 'choice' | 'scores' | 'keys' | 'watch' | 'capabilities'
  /** Of a choice. */
  readonly options?: Options
  /** What it says where nothing is set. */
  readonly off?: string
  /** What it begins with where it is added. */
  readonly first?: unknown
}

const BY_WORKSPACE = 'set in service.yaml'

function fieldOfLimit(limit: Limit): PolicyField {
  return { key: limit.key, label: `${limitLabel(limit)}, at most`, kind: limit.unit }
}

/** The keys that every policy has. */
export const MAIN_FIELDS: readonly PolicyField[] = [
  ...limitsOn('candidate').map(fieldOfLimit),
  {
    key: 'require_high_diff_confidence',
    label: 'Enough runs for HIGH confidence',
    kind: 'choice',
    first: true,
    options: [
      [true, 'required'],
      [false, 'not required'],
    ],
  },
  { key: 'min_candidate_runs', label: 'Runs of the candidate, at least', kind: 'runs', off: BY_WORKSPACE },
  { key: 'min_baseline_runs', label: 'Runs of the baseline, at least', kind: 'runs', off: BY_WORKSPACE },
  { key: 'min_low_runs', label: 'Confidence is LOW below', kind: 'runs', off: BY_WORKSPACE },
]

/** Keys that a policy may have besides. */
export const FURTHER_FIELDS: readonly PolicyField[] = [
  ...LIMITS.filter(({ on }) => on !== 'candidate').map(fieldOfLimit),
  { key: 'min_scores', label: 'Scores, at least', kind: 'scores', first: {} },
  { key: 'max_score_drop', label: 'Fall of scores, at most', kind: 'scores', first: {} },
  { key: 'on_rollback', label: 'Limits that also apply to rollbacks', kind: 'keys', off: 'none', first: [] },
  {
    key: 'compare_by',
    label: 'What limits on a rise compare',
    kind: 'choice',
    first: 'time',
    options: [
      ['time', 'the time in which both ran'],
      ['tenant', 'each tenant that both served'],
      ['task', 'each task that both did'],
      ['window', 'all runs of the window'],
    ],
  },
  {
    key: 'cluster_by',
    label: 'Clusters of dependent runs',
    kind: 'choice',
    first: 'time',
    options: [
      ['time', 'blocks of time'],
      ['session', 'sessions'],
      ['tenant', 'tenants'],
    ],
  },
  {
    key: 'on_inconclusive',
    label: 'If a limit is not decided',
    kind: 'choice',
    first: 'block',
    options: [
      ['block', 'block'],
      ['pass', 'pass'],
      ['estimate', 'decide by the estimate'],
    ],
  },
  {
    key: 'sequential',
    label: 'Intervals valid at every check',
    kind: 'choice',
    first: true,
    options: [
      [true, 'yes'],
      [false, 'no'],
    ],
  },
  {
    key: 'unpriced',
    label: 'Runs without a price',
    kind: 'choice',
    first: 'exclude',
    options: [
      ['refuse', 'refuse the diff'],
      ['exclude', 'leave them out of the cost'],
    ],
  },
  { key: 'watch', label: 'Watch after a promotion', kind: 'watch', first: { for: '2h' } },
  { key: 'capabilities', label: 'Capabilities', kind: 'capabilities', first: { widened: 'block' } },
  { key: 'max_undeclared_tool_calls', label: 'Calls of undeclared tools, at most', kind: 'calls' },
  { key: 'min_days_to_retirement', label: 'Days until a model ends, at least', kind: 'days' },
]

const ALL_FIELDS = [...MAIN_FIELDS, ...FURTHER_FIELDS]

export const fieldOf = (key: string): PolicyField | undefined => ALL_FIELDS.find(field => field.key === key)

const isNumeric = (kind: PolicyField['kind']): kind is NumberKind => kind in NUMBERS

export const unitOf = ({ kind }: PolicyField): string => (isNumeric(kind) ? NUMBERS[kind].unit : '')

/** What a key says, in words. */
export function wordsOf(field: PolicyField, value: unknown): string {
  const { kind, options, off = 'off' } = field
  if (value == null) return off
  if (isNumeric(kind)) return typeof value === 'number' ? NUMBERS[kind].format(value) : plain(value)
  if (kind === 'choice') return options!.find(([option]) => option === value)?.[1] ?? plain(value)
  if (kind === 'capabilities') return capabilityWords(value)
  if (kind === 'keys') return (value as string[]).join(', ') || off
  return kind === 'scores' ? scoreLines(value).join(', ') || off : watchWords(value as Watch)
}

/** An invalid value, as the document has it. */
const plain = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

type Watch = NonNullable<Policy['watch']>

function watchWords({ for: length, auto_rollback, on_unusable, min_runs }: Watch): string {
  return [
    `for ${length}`,
    auto_rollback === true ? 'rolls back by itself' : '',
    on_unusable === 'exclude' ? 'leaves out unusable runs' : '',
    min_runs === undefined ? '' : `from ${counted(min_runs, 'run')} on`,
  ]
    .filter(Boolean)
    .join(', ')
}

export type CapabilityRule = NonNullable<Policy['capabilities']>

function capabilityWords({ widened = 'warn', forbid = [] }: CapabilityRule): string {
  const more = widened === 'block' ? 'new capabilities block' : 'new capabilities give a warning'
  return forbid.length === 0 ? more : `${more}; never ${forbid.join(', ')}`
}

const scoreLines = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : Object.entries(value as object).map(([name, at]) => `${name}: ${at}`)

/** The text in the field of a number or of scores; what could not be read as one is kept as typed. */
export function textOf({ kind }: PolicyField, value: unknown): string {
  if (value == null) return ''
  if (kind === 'scores') return scoreLines(value).join('\n')
  if (kind === 'keys') return (value as string[]).join(', ')
  if (!isNumeric(kind) || typeof value !== 'number') return plain(value)
  return String(rounded(value * NUMBERS[kind].factor))
}

/** The value of what was typed; the text itself where it is no value, so that nothing typed is lost. */
export function valueOf({ kind }: PolicyField, text: string): unknown {
  const typed = text.trim()
  if (kind === 'scores') return scoresOf(typed)
  if (kind === 'keys') return typed.split(/[\s,]+/).filter(key => key !== '')
  if (typed === '') return null
  const value = Number(typed)
  return isNumeric(kind) && Number.isFinite(value) ? rounded(value / NUMBERS[kind].factor) : typed
}

function scoresOf(text: string): unknown {
  const scores: Record<string, number> = {}
  for (const line of text.split('\n').filter(said => said.trim() !== '')) {
    const at = line.lastIndexOf(':')
    const [name, number] = [line.slice(0, Math.max(0, at)).trim(), line.slice(at + 1).trim()]
    if (name === '' || number === '' || !Number.isFinite(Number(number))) return text
    scores[name] = Number(number)
  }
  return scores
}

const rounded = (value: number): number => Number(value.toPrecision(12))

/** What is wrong with a value, as far as the page can tell without the service; empty where nothing is. */
export function problemOf({ kind }: PolicyField, value: unknown): string {
  if (value == null) return ''
  if (kind === 'scores') return typeof value === 'string' ? 'A line each: name: number.' : ''
  if (kind === 'keys') {
    const isKnown = (value as string[]).every(key => ROLLBACK_KEYS.some(known => known === key))
    return isKnown ? '' : `Any of ${ROLLBACK_KEYS.join(', ')}.`
  }
  if (!isNumeric(kind)) return ''
  const { factor, most, unit } = NUMBERS[kind]
  if (typeof value !== 'number') return `A number in ${unit}, or nothing for off.`
  if (value < 0) return 'Not below 0.'
  if (value > most) return `At most ${most * factor} ${unit}.`
  return ['ms', 'runs', 'calls', 'days'].includes(kind) && !Number.isInteger(value) ? 'A whole number.' : ''
}
