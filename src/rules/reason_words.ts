import { count, milliseconds, percent, points, usd } from '../base/text.ts'
import { TIMES } from '../models/limits.ts'

interface Figure {
  readonly name: string
  /** `is`, or `are` of what is counted. */
  readonly verb: string
  readonly write: (value: number) => string
}

const COST: Figure = { name: 'cost per run', verb: 'is', write: usd }
const LATENCY: Figure = { name: 'latency', verb: 'is', write: milliseconds }
const ERRORS: Figure = { name: 'errors', verb: 'are', write: percent }

/** What the contract names a figure by, and what readers do. */
const FIGURES: Readonly<Record<string, Figure>> = {
  cost_per_run_usd: COST,
  latency_ms_avg: LATENCY,
  latency_ms: LATENCY,
  error_rate: ERRORS,
  ttft_ms: { name: TIMES.ttft, verb: 'is', write: milliseconds },
  tool_calls_per_run: { name: 'tool calls per run', verb: 'are', write: String },
}

/** Which override of the policy set the limit, as `ruleText` writes it. */
const RULE = String.raw`(?<rule> \(overrides\[.*)?$`
const RUNS = String.raw` \(n \d+ baseline, \d+ candidate\)`
const OVER = new RegExp(String.raw`^candidate (?<name>\w+) (?<is>[\d.]+) exceeds max (?<most>[\d.]+)${RULE}`)
const TIME = new RegExp(
  String.raw`^candidate (?<name>[a-z]+)(?:_(?<tail>p\d+))?_ms (?<is>\d+) \[.*\] exceeds \w+ (?<most>\d+)${RUNS}${RULE}`,
)
const ROSE = new RegExp(
  String.raw`^candidate (?<name>\w+?)(?:_(?<tail>p\d+))?(?<of> of (?:tenant|task) .+)? \+(?<is>[\d.]+)(?<unit> %)? \[.*\] exceeds \w+ \+(?<most>[\d.]+)(?: %)?${RUNS}${RULE}`,
)

/** A reason of the policy as one reads it at a glance, such as `latency rose by 79 %, the limit is 30 %`; undefined where its own words are that already. */
export function reasonWords(reason: string): string | undefined {
  const { name = '', is, most, rule = '' } = OVER.exec(reason)?.groups ?? {}
  const figure = FIGURES[name]
  if (figure !== undefined) {
    return `${figure.name} ${figure.verb} ${figure.write(Number(is))}, the limit is ${figure.write(Number(most))}${rule}`
  }
  return timeWords(reason) ?? roseWords(reason)
}

function timeWords(reason: string): string | undefined {
  const { name = '', tail, is, most, rule = '' } = TIME.exec(reason)?.groups ?? {}
  const figure = FIGURES[`${name}_ms`]
  if (figure === undefined) return undefined
  const what = tail === undefined ? figure.name : `${tail} of the ${figure.name}`
  return `${what} is ${milliseconds(Number(is))}, the limit is ${milliseconds(Number(most))}${rule}`
}

function roseWords(reason: string): string | undefined {
  const { name = '', tail, of = '', is, unit, most, rule = '' } = ROSE.exec(reason)?.groups ?? {}
  const figure = FIGURES[tail === undefined ? name : `${name}_ms`]
  if (figure === undefined) return undefined
  const write = unit === undefined ? points : (value: number) => `${count(Number(value.toPrecision(3)))} %`
  const what = tail === undefined ? figure.name : `${tail} of the ${figure.name}`
  return `${what}${of} rose by ${write(Number(is))}, the limit is ${write(Number(most))}${rule}`
}
