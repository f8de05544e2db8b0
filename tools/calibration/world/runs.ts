import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/base/time.ts'
import type { BucketRuns } from '../../../src/rules/common_time.ts'
import type { Random } from '../traffic.ts'

/** Runs of one side in columns, in no order. */
export interface Runs {
  n: number
  /** When each ended, epoch ms. */
  readonly ended: Float64Array
  readonly latency_ms: Float64Array
  readonly tokens: Float64Array
  readonly failed: Uint8Array
  /** From 1 on. */
  readonly tenant: Uint16Array
  readonly task: Uint8Array
  readonly session: Int32Array
  /** How many ended in the hours of the day before. */
  before: readonly BucketRuns[]
}

export type SideName = 'baseline' | 'candidate'
export const SIDES = ['baseline', 'candidate'] as const
export type PerSide = readonly [baseline: number, candidate: number]

/** How the level of a metric moves: over each day, and by chance from day to day and from hour to hour. */
interface Weather {
  readonly daily: number
  readonly day_sd: number
  readonly hour_sd: number
  /** Levels on Saturdays and Sundays, as a multiple; 1 unless given. */
  readonly weekend?: number
}

const USUAL: Weather = { daily: 0.12, day_sd: 0.04, hour_sd: 0.05 }

/** A time within a window, in hours since it began, in which something happens to the runs of a side that begin then. */
interface Spell {
  readonly from: number
  readonly minutes: number
  readonly side?: SideName
}

/** What runs two releases have. Hours count from the beginning of the window, so runs before it have negative ones. */
export interface Traffic {
  /** Runs that begin within an hour, by the ten minutes that they begin in. */
  readonly per_hour: (hour: number) => PerSide
  /** Mean duration; one second unless given. Those that have not ended when the window ends are not known. */
  readonly lasts_ms?: number
  /** σ of log-normal costs and durations; 1 and 0.7 unless given. */
  readonly sigma?: readonly [cost: number, latency: number]
  /** Whether what a run costs is in proportion to its duration. */
  readonly costs_by_duration?: true
  /** Share of runs that fail; 3 % unless given. */
  readonly errors?: PerSide
  /** Failures take so long and cost next to nothing; as long as other runs unless given. */
  readonly fails_after_ms?: number
  readonly weather?: Weather
  /** Tenants, of which each next one is smaller (Zipf); 6 unless given. */
  readonly tenants?: number
  /** Whether tenants and tasks differ in level. */
  readonly levels_differ?: true
  /** A multiple of the share of a tenant and task, numbers from 0 on; of each hour where it moves over the window. */
  readonly mix?: (tenant: number, task: number, side: SideName, hour: number) => number
  readonly mix_moves?: true
  /** Runs in sessions: how many each, the correlation of their levels (ICC), and how long one lasts. */
  readonly sessions?: { readonly runs: number; readonly icc: number; readonly hours: number }
  /** Runs of the largest tenant that come at once, next to the others; they take and cost three times as much. */
  readonly burst?: Spell & { readonly runs: number }
  /** Runs that fail instead, as a share, and take so many times as long. */
  readonly outage?: Spell & { readonly errors: number; readonly slower: number }
  /** Whether each side has a level of its own, a fifth of the variance of its runs, of which a run keeps 0.98 to the next. */
  readonly drifts?: true
  /** Share of runs that a cache answers in a twentieth of the time. */
  readonly cached?: number
  /** The only tenant, from 0 on, that a change concerns. */
  readonly changed_tenant?: number
  /** Whether a change of means concerns durations alone. */
  readonly changes_latency_alone?: true
}

/** What is different of the candidate: cost and duration by a fraction, errors by a difference. */
export interface Change {
  readonly mean: number
  readonly errors: number
}

const STEPS_PER_HOUR = 6
const STEP_MS = 10 * MINUTE_MS
const MEAN = 1000
/** Shares and levels of four tasks. */
const TASKS = [
  [0.4, 0.6],
  [0.3, 0.9],
  [0.2, 1.2],
  [0.1, 2.4],
] as const
/** Durations beyond so many means are too rare to matter for what began before the window. */
const LONGEST = 13
const PICKS = 1 << 16

/** Draws runs of both sides that ended within so many hours up to `until`. Built once, for any number of draws. */
export function drawsOf(traffic: Traffic, hours: number, until: number) {
  const since = until - hours * HOUR_MS
  const lasts = traffic.lasts_ms ?? MEAN
  const lead = Math.ceil((lasts * LONGEST) / STEP_MS)
  const steps = hours * STEPS_PER_HOUR
  const rates = Array.from({ length: lead + steps }, (_, step) => {
    const [baseline, candidate] = traffic.per_hour((step - lead) / STEPS_PER_HOUR)
    return { baseline: baseline / STEPS_PER_HOUR, candidate: candidate / STEPS_PER_HOUR }
  })
  const daysBefore = Array.from({ length: 24 }, (_, index) => {
    const [baseline, candidate] = traffic.per_hour(index - 24)
    return { bucket: since / HOUR_MS + index - 24, baseline, candidate }
  })
  const picksIn = (side: SideName): Uint16Array[] =>
    Array.from({ length: traffic.mix_moves === true ? hours : 1 }, (_, hour) => picksOf(traffic, side, hour))
  const picks = { baseline: picksIn('baseline'), candidate: picksIn('candidate') }
  const most = SIDES.map(side => rates.reduce((sum, rate) => sum + rate[side], traffic.burst?.runs ?? 0))
  // Far more than a Poisson number is off by.
  const stores = most.map(runs => storeOf(Math.ceil(1.3 * runs + 10 * Math.sqrt(runs) + 1000)))
  return function draw(random: Random, change: Change): Record<SideName, Runs> {
    const level = levelsOf(since, lead, steps, traffic.weather ?? USUAL, random)
    const spread = traffic.levels_differ === true
    const tenantLevels = Float64Array.from({ length: traffic.tenants ?? TENANTS }, () =>
      spread ? Math.exp(0.3 * random.normal()) : 1,
    )
    const side = (name: SideName, runs: Runs): Runs => {
      runs.n = 0
      runs.before = daysBefore
        .map(({ bucket, ...rate }) => ({ bucket, runs: poisson(rate[name], random) }))
        .filter(({ runs: own }) => own > 0)
      const own = name === 'candidate' ? change : UNCHANGED
      const write = writerOf(runs, { traffic, name, own, random, tenantLevels, since, until })
      const pickOf = (step: number): number => {
        const hour = Math.max(0, Math.floor((step - lead) / STEPS_PER_HOUR))
        return picks[name][hour % picks[name].length]![(random.uniform() * PICKS) | 0]!
      }
      const { sessions, burst } = traffic
      const ownLevel =
        traffic.drifts === true
          ? driftOf(
              level,
              rates.map(rate => rate[name]),
              random,
            )
          : level
      const each = sessions === undefined ? undefined : partsOf(sessions.icc, sigmaOf(traffic)[0])
      // A session is of one release.
      let session = name === 'baseline' ? 0 : 1_000_000
      for (let step = 0; step < rates.length; step++) {
        const at = since + (step - lead) * STEP_MS
        if (each === undefined) {
          for (let left = poisson(rates[step]![name], random); left > 0; left--) {
            write(at + random.uniform() * STEP_MS, ownLevel[step]!, pickOf(step), 0, 0, 1)
          }
          continue
        }
        for (let left = poisson(rates[step]![name] / sessions!.runs, random); left > 0; left--) {
          const [begun, picked] = [at + random.uniform() * STEP_MS, pickOf(step)]
          const shared = each[0] * random.normal()
          session += 1
          for (let run = 0; run < sessions!.runs; run++) {
            const ran = begun + random.uniform() * sessions!.hours * HOUR_MS
            const then = Math.min(level.length - 1, lead + Math.floor((ran - since) / STEP_MS))
            write(ran, level[then]!, picked, session, shared, each[1])
          }
        }
      }
      if (burst !== undefined && (burst.side ?? name) === name) {
        const at = since + burst.from * HOUR_MS
        const then = level[lead + Math.floor(burst.from * STEPS_PER_HOUR)]! * 3
        for (let left = poisson(burst.runs, random); left > 0; left--) {
          write(at + random.uniform() * burst.minutes * MINUTE_MS, then, BURST, 0, 0, 1)
        }
      }
      return runs
    }
    return { baseline: side('baseline', stores[0]!), candidate: side('candidate', stores[1]!) }
  }
}

const TENANTS = 6
const UNCHANGED: Change = { mean: 0, errors: 0 }
/** The first tenant, and its first task. */
const BURST = 0

function sigmaOf({ sigma }: Traffic): readonly [number, number] {
  return sigma ?? [1, 0.7]
}

function storeOf(most: number): Runs {
  return {
    n: 0,
    ended: new Float64Array(most),
    latency_ms: new Float64Array(most),
    tokens: new Float64Array(most),
    failed: new Uint8Array(most),
    tenant: new Uint16Array(most),
    task: new Uint8Array(most),
    session: new Int32Array(most),
    before: [],
  }
}

/** The runs that ended since a time. */
export function endedSince(runs: Runs, since: number): Runs {
  const some = storeOf(runs.n)
  some.before = countsBefore(runs, since)
  for (let run = 0; run < runs.n; run++) {
    if (runs.ended[run]! < since) continue
    const at = some.n++
    for (const name of COLUMNS) some[name][at] = runs[name][run]!
  }
  return some
}

/** Runs of the day before a window by the hour. */
function countsBefore({ n, ended }: Runs, since: number): BucketRuns[] {
  const counts = new Map<number, number>()
  for (let run = 0; run < n; run++) {
    const hour = Math.floor(ended[run]! / HOUR_MS)
    if (ended[run]! < since && ended[run]! >= since - DAY_MS) counts.set(hour, (counts.get(hour) ?? 0) + 1)
  }
  return [...counts].sort(([a], [b]) => a - b).map(([bucket, runs]) => ({ bucket, runs }))
}

const COLUMNS = ['ended', 'latency_ms', 'tokens', 'failed', 'tenant', 'task', 'session'] as const

interface Written {
  readonly traffic: Traffic
  readonly name: SideName
  readonly own: Change
  readonly random: Random
  readonly tenantLevels: Float64Array
  readonly since: number
  readonly until: number
}

/** Adds runs that begin at a time; those that end outside of the window are left out. */
function writerOf(
  runs: Runs,
  { traffic, name, own, random: { uniform, normal }, tenantLevels, since, until }: Written,
) {
  const { outage, cached = 0, fails_after_ms, changed_tenant, costs_by_duration = false } = traffic
  const lasts = traffic.lasts_ms ?? MEAN
  const [ofCost, ofLatency] = sigmaOf(traffic)
  const [costShift, latencyShift] = [(ofCost * ofCost) / 2, (ofLatency * ofLatency) / 2]
  const rate = (traffic.errors ?? [0.03, 0.03])[name === 'baseline' ? 0 : 1]
  const hasOutage = outage !== undefined && (outage.side ?? name) === name
  const [from, to] = hasOutage
    ? [since + outage.from * HOUR_MS, since + outage.from * HOUR_MS + outage.minutes * MINUTE_MS]
    : [0, 0]
  return function write(
    begun: number,
    level: number,
    picked: number,
    session: number,
    shared: number,
    weight: number,
  ): void {
    const [tenant, task] = [picked >> 2, picked & 3]
    const isOut = begun >= from && begun < to
    const isChanged = changed_tenant === undefined || changed_tenant === tenant
    const scale =
      level *
      tenantLevels[tenant]! *
      (traffic.levels_differ === true ? TASKS[task]![1] : 1) *
      (isChanged ? 1 + own.mean : 1)
    const costScale = isChanged && traffic.changes_latency_alone === true ? scale / (1 + own.mean) : scale
    const failed = uniform() < (isOut ? outage!.errors : rate * level + (isChanged ? own.errors : 0))
    const isFast = failed && fails_after_ms !== undefined
    const duration = Math.exp(ofLatency * (shared + weight * normal()) - latencyShift)
    const factor = isOut ? outage!.slower : cached > 0 && uniform() < cached ? 0.05 : 1
    const latency = Math.round(isFast ? fails_after_ms : lasts * scale * duration * factor)
    const cost = costs_by_duration ? duration : Math.exp(ofCost * (shared + weight * normal()) - costShift)
    const ended = Math.floor(begun) + latency
    if (ended < since || ended >= until) return
    const at = runs.n++
    runs.ended[at] = ended
    runs.latency_ms[at] = latency
    runs.tokens[at] = isFast ? MEAN / 20 : Math.round(MEAN * costScale * cost)
    runs.failed[at] = failed ? 1 : 0
    runs.tenant[at] = tenant + 1
    runs.task[at] = task + 1
    runs.session[at] = session
  }
}

/** Tenant and task, `tenant << 2 | task`, as often as their shares. */
function picksOf({ tenants = TENANTS, mix = () => 1 }: Traffic, side: SideName, hour: number): Uint16Array {
  const pairs = Array.from({ length: tenants * TASKS.length }, (_, pair) => {
    const [tenant, task] = [pair >> 2, pair & 3]
    return { pair, weight: (TASKS[task]![0] / (tenant + 1)) * mix(tenant, task, side, hour) }
  })
  const all = pairs.reduce((sum, { weight }) => sum + weight, 0)
  const picks = new Uint16Array(PICKS)
  let [at, sum] = [0, 0]
  for (const { pair, weight } of pairs) {
    sum += weight
    for (const end = Math.round((sum / all) * PICKS); at < end; at++) picks[at] = pair
  }
  return picks
}

/** Weights of what the runs of a session share and of what single ones have, so that log-normal values correlate so. */
function partsOf(icc: number, sigma: number): readonly [shared: number, alone: number] {
  const shared = Math.log(1 + icc * (Math.exp(sigma * sigma) - 1)) / (sigma * sigma)
  return [Math.sqrt(shared), Math.sqrt(1 - shared)]
}

const DAY_STEPS = 24 * STEPS_PER_HOUR
/** The epoch began on a Thursday. */
const isWeekend = (time: number): boolean => ((Math.floor(time / DAY_MS) + 4) % 7) % 6 === 0

/** Levels by steps of ten minutes: `lead` of them before `since`, epoch ms, and `steps` behind it. */
function levelsOf(
  since: number,
  lead: number,
  steps: number,
  { daily, day_sd, hour_sd, weekend = 1 }: Weather,
  { normal }: Random,
): Float64Array {
  const levels = new Float64Array(lead + steps)
  let [day, hour] = [1, 1]
  for (let step = -lead; step < steps; step++) {
    if (step % DAY_STEPS === 0) day = 1 + day_sd * normal()
    if (step % STEPS_PER_HOUR === 0) hour = 1 + hour_sd * normal()
    const usual = isWeekend(since + step * STEP_MS) ? weekend : 1
    levels[lead + step] = usual * day * hour * (1 + daily * Math.sin((2 * Math.PI * step) / DAY_STEPS))
  }
  return levels
}

/** Levels that drift next to those of the time, by how many runs there are in a step. */
function driftOf(level: Float64Array, runs: readonly number[], { normal }: Random): Float64Array {
  let drift = normal()
  return level.map((own, step) => {
    const kept = 0.98 ** runs[step]!
    drift = kept * drift + Math.sqrt(1 - kept * kept) * normal()
    return own * Math.max(0.05, 1 + 0.8 * Math.sqrt(0.2) * drift)
  })
}

/** A number of Poisson's distribution, by its normal approximation where that is large. */
export function poisson(expected: number, { uniform, normal }: Random): number {
  if (expected > 100) return Math.max(0, Math.round(expected + Math.sqrt(expected) * normal()))
  const least = Math.exp(-expected)
  let [count, product] = [0, uniform()]
  while (product > least) {
    count += 1
    product *= uniform()
  }
  return count
}
