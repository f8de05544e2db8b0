import type { PerSide, Traffic } from './runs.ts'
import type { World } from './seen.ts'

type Rate = Traffic['per_hour']

const steady =
  (baseline: number, candidate: number): Rate =>
  () => [baseline, candidate]
/** One release until the candidate gets its share, in the last hours. */
const begun =
  (hours: number, of: number, before: number, after: PerSide): Rate =>
  hour =>
    hour < of - hours ? [before, 0] : after
const [DAY, WEEK, FORTNIGHT, MONTH] = [24, 168, 336, 720]
const HALF = steady(208, 208)
/** Of a window of a week that ends when Tuesday begins. */
const isWeekend = (hour: number): boolean => hour >= 96 && hour < 144
/** A tenant's 1,500 runs in 20 minutes. */
const BURST = { from: 14, minutes: 20, runs: 1500 } as const
const OUTAGE = { from: 14, minutes: 20, errors: 0.5, slower: 5 } as const
/** Ten points of the first task go to the last. */
const SHIFTED: Traffic['mix'] = (_, task, side) =>
  side === 'baseline' ? 1 : task === 0 ? 0.75 : task === 3 ? 2 : 1
const BUSY: Traffic['mix'] = (tenant, _, side) => (side === 'candidate' && tenant === 1 ? 3 : 1)
const [EVEN, CALM] = [{ levels_differ: true }, { sigma: [0.5, 0.5] }] as const

/** A canary of six hours that gets half of the runs. */
const CANARY = (hours: number): Traffic => ({ per_hour: begun(6, hours, 160, [80, 80]), ...CALM })
/** The same, of whose runs 40 % fail in the last hour. */
const FAILING = (hours: number): Traffic => ({
  per_hour: begun(6, hours, 400, [200, 200]),
  outage: { from: hours - 1, minutes: 60, side: 'candidate', errors: 0.4, slower: 1 },
})

const WINDOWS: readonly World[] = [
  { name: 'at once, half of the runs', hours: DAY, traffic: { per_hour: HALF } },
  { name: 'at once, a tenth of the runs', hours: DAY, traffic: { per_hour: steady(540, 60) } },
  {
    name: 'the same, hours differ by 15 %',
    hours: DAY,
    traffic: { per_hour: steady(540, 60), weather: { daily: 0.12, day_sd: 0.04, hour_sd: 0.15 } },
  },
  {
    name: 'ramp from 1 to 50 %',
    hours: DAY,
    traffic: {
      per_hour: hour => {
        const share = 0.01 + 0.49 * Math.max(0, hour / DAY)
        return [416 * (1 - share), 416 * share]
      },
    },
  },
  ...[DAY, WEEK, FORTNIGHT, MONTH].map((hours): World => ({
    name: `canary of 6 h, window of ${hours / DAY} d`,
    hours,
    traffic: CANARY(hours),
  })),
  {
    name: 'canary of 6 h, windows of 7 d and 1 d',
    hours: WEEK,
    also: [DAY],
    changes: [0],
    traffic: CANARY(WEEK),
    least: [[0, 'agrees', 0.95]],
  },
  {
    name: 'canary of 6 h, windows of 30 d and 14 d',
    hours: MONTH,
    also: [FORTNIGHT],
    changes: [0],
    traffic: CANARY(MONTH),
    least: [[0, 'agrees', 0.95]],
  },
  ...[DAY, WEEK, FORTNIGHT, MONTH].map((hours): World => ({
    name: `fails since an hour, window of ${hours / DAY} d`,
    hours,
    changes: [0],
    claims: 'nothing',
    traffic: FAILING(hours),
    most: [[0, 'passes', 0.05, 'errors']],
    least: [[0, 'kept', 0.95]],
  })),
  {
    name: '6.5 days, then 6 h',
    hours: WEEK,
    traffic: { per_hour: hour => (hour < WEEK - 6 ? [80, 0] : [0, 400]) },
  },
  {
    name: 'yesterday, then today',
    hours: 2 * DAY,
    traffic: { per_hour: hour => (hour < DAY ? [200, 0] : [0, 200]) },
    most: [[0, 'comparable', 0, 'cost']],
    because: 'a single day before says nothing of how days differ, so nothing is compared',
  },
  {
    name: 'last 6 h of 7 d, all of the window',
    hours: WEEK,
    changes: [0],
    claims: 'nothing',
    policy: { compare_by: 'window' },
    traffic: { per_hour: begun(6, WEEK, 160, [0, 600]), ...CALM },
    because: 'other hours are compared, which `compare_by: window` asks for',
  },
  {
    name: 'Monday after a week with slow weekends',
    hours: WEEK,
    traffic: {
      per_hour: hour => (hour < WEEK - DAY ? [160, 0] : [0, 160]),
      weather: { daily: 0.12, day_sd: 0.04, hour_sd: 0.05, weekend: 1.2 },
    },
  },
  ...[DAY, 2 * DAY].map((hours): World => ({
    name: `hours in turn, ${hours} h`,
    hours,
    traffic: { per_hour: hour => (Math.floor(hour) % 2 === 0 ? [416, 0] : [0, 416]), ...CALM },
  })),
]

/** The candidate gets half of the runs of some minutes each, which cost by their duration; failures take seconds. */
const LONG: readonly World[] = [1, 5, 15, 30].flatMap(minutes =>
  [1, 2, 6].map((hours): World => ({
    name: `runs of ${minutes} min, candidate of ${hours} h`,
    hours: 12,
    changes: [0, 0.2, 0.4],
    errors_rise: 0,
    traffic: {
      per_hour: begun(hours, 12, 960, [480, 480]),
      lasts_ms: minutes * 60_000,
      sigma: [1, 1],
      costs_by_duration: true,
      fails_after_ms: 5000,
    },
  })),
)

/** A canary that gets 5 % of the runs, then 25 % and 50 %, a step each two hours, or each hour. */
const STEPS: readonly World[] = [
  [15, 2],
  [15, 1],
  [30, 2],
].map(([minutes, hours]): World => ({
  name: `runs of ${minutes} min, 5 %, 25 %, 50 % for ${hours} h each`,
  hours: 12,
  changes: [0, 0.2, 0.4],
  errors_rise: 0,
  traffic: {
    per_hour: hour => {
      const step = Math.floor((hour - 12) / hours!) + 3
      const share = [0.05, 0.25, 0.5][step] ?? 0
      return [960 * (1 - share), 960 * share]
    },
    lasts_ms: minutes! * 60_000,
    sigma: [1, 1],
    costs_by_duration: true,
    fails_after_ms: 5000,
  },
}))

const SHIFTS: readonly World[] = [
  {
    name: 'tasks shift by 10 points, by time',
    hours: DAY,
    claims: 'nothing',
    because: 'the mix differs, which is said',
    most: [[0, 'spots', 0.05]],
    traffic: { per_hour: steady(416, 208), mix: SHIFTED, ...EVEN },
  },
  {
    name: 'tasks shift by 10 points, by task',
    hours: DAY,
    policy: { compare_by: 'task' },
    traffic: { per_hour: steady(416, 208), mix: SHIFTED, ...EVEN },
  },
  {
    name: 'the same in the last 6 h',
    hours: DAY,
    policy: { compare_by: 'task' },
    traffic: { per_hour: begun(6, DAY, 416, [416, 416]), mix: SHIFTED, ...EVEN },
  },
  {
    name: 'one tenant 3 times as busy, by tenant',
    hours: DAY,
    policy: { compare_by: 'tenant' },
    traffic: { per_hour: steady(416, 208), mix: BUSY, ...EVEN },
  },
  {
    name: 'a new tenant of a third, by tenant',
    hours: DAY,
    policy: { compare_by: 'tenant' },
    traffic: {
      per_hour: steady(416, 208),
      mix: (tenant, _, side) => (tenant !== 5 ? 1 : side === 'baseline' ? 0 : 7),
      ...EVEN,
    },
  },
  {
    name: 'canary by tenant',
    hours: DAY,
    traffic: {
      per_hour: HALF,
      mix: (tenant, _, side) => Number((tenant % 3 === 0) === (side === 'candidate')),
      ...EVEN,
    },
    because: 'no tenant ran both releases, so nothing is compared',
    most: [[0, 'comparable', 0, 'cost']],
  },
  {
    name: "a batch of one tenant's, on both sides",
    hours: DAY,
    covers: 0.88,
    because: 'one unit of time has most of the spread',
    traffic: { per_hour: HALF, burst: BURST, ...EVEN },
  },
  {
    name: "a batch of one tenant's, on the candidate",
    hours: DAY,
    covers: 0.88,
    worse: 0.07,
    because: 'one unit of time has most of the spread',
    traffic: { per_hour: HALF, burst: { ...BURST, side: 'candidate' }, ...EVEN },
  },
  {
    name: "a batch of one tenant's, on the baseline",
    hours: DAY,
    covers: 0.88,
    because: 'one unit of time has most of the spread',
    traffic: { per_hour: HALF, burst: { ...BURST, side: 'baseline' }, ...EVEN },
  },
  { name: 'an outage of 20 min, on both sides', hours: DAY, traffic: { per_hour: HALF, outage: OUTAGE } },
  {
    name: 'an outage of 20 min, on the candidate',
    hours: DAY,
    traffic: { per_hour: HALF, outage: { ...OUTAGE, side: 'candidate' } },
    least: [[0, 'parts', 0.9]],
  },
  {
    name: 'an outage of 20 min, on the baseline',
    hours: DAY,
    traffic: { per_hour: HALF, outage: { ...OUTAGE, side: 'baseline' } },
    least: [[0, 'parts', 0.9]],
  },
]

/** A day's traffic of two releases; nights have a tenth of the noon's where they are quiet. */
const segment = (name: string, traffic: Omit<Traffic, 'per_hour'>, isQuiet = false): World => ({
  name,
  hours: DAY,
  claims: 'unchanged',
  traffic: {
    per_hour: hour => {
      const rate = 2083 * (isQuiet ? 1 + 0.9 * Math.sin((2 * Math.PI * hour) / DAY) : 1)
      return [rate, rate]
    },
    tenants: 12,
    ...EVEN,
    ...traffic,
  },
  least: [[0.2, 'named', 0.8]],
})

const SEGMENTS: readonly World[] = [
  segment('the third tenant, 100,000 runs', { changed_tenant: 2 }),
  segment('the same, quiet nights', { changed_tenant: 2 }, true),
  {
    name: 'the third tenant from 1.6 to 20.8 % errors',
    hours: DAY,
    claims: 'unchanged',
    changes: [0, 0.768],
    traffic: { per_hour: steady(230, 256), errors: [0.016, 0.016], changed_tenant: 2, tenants: 12 },
    least: [[0.768, 'named', 0.9]],
  },
  {
    name: '200 tenants',
    hours: DAY,
    traffic: { per_hour: steady(416, 208), tenants: 200, ...EVEN },
  },
]

const daily =
  (runs: number): Rate =>
  hour =>
    isWeekend(hour) ? [0, 0] : [runs / 48, runs / 48]
const LOW = { min_low_runs: 10 } as const
/** As `svc policy template --for low-traffic` has it. */
const OF_LOW_TRAFFIC = { min_low_runs: 20 } as const
const SMALL: readonly World[] = [
  ...[20, 50, 100, 200].map((runs): World => ({
    name: `${runs} runs a day for a week`,
    hours: WEEK,
    changes: [0, 0.2, 1],
    ...(runs < 50 ? { policy: OF_LOW_TRAFFIC } : {}),
    traffic: { per_hour: daily(runs) },
  })),
  ...[50, 100, 200].map((runs): World => ({
    name: `${runs} runs a day, one release after the other`,
    hours: WEEK,
    changes: [0, 0.2, 1],
    ...(runs < 100
      ? {
          because:
            'earlier days count from 50 runs on; absolute limits are for this, as `--for low-traffic` has them',
        }
      : {}),
    traffic: {
      per_hour: hour => (isWeekend(hour) ? [0, 0] : hour < WEEK - DAY ? [runs / 24, 0] : [0, runs / 24]),
    },
  })),
  {
    name: '30 runs against 10,000',
    hours: DAY,
    changes: [0, 0.2, 1],
    policy: LOW,
    traffic: { per_hour: steady(416, 1.25) },
    covers: 0.92,
    least: [
      [0, 'comparable', 0.95, 'cost'],
      [1, 'worse', 0.49, 'cost'],
    ],
    because: 'of few skewed runs next to many the interval is too narrow above',
  },
  {
    name: '300 very skewed runs against 10,000',
    hours: DAY,
    covers: 0.81,
    traffic: { per_hour: steady(416, 12.5), sigma: [2, 2] },
    because: 'of few skewed runs next to many the interval is too narrow above',
  },
]

const SESSIONS = { runs: 20, icc: 0.3, hours: 2 } as const
const SKEWED: readonly World[] = [
  { name: 'σ 2, 5,000 runs a side', hours: DAY, traffic: { per_hour: HALF, sigma: [2, 2] } },
  {
    name: 'levels of each side that drift, 1,000 runs',
    hours: DAY,
    claims: 'nothing',
    least: [
      [0, 'covers', 0.83, 'cost'],
      [0, 'covers', 0.83, 'latency'],
    ],
    traffic: { per_hour: steady(42, 42), drifts: true },
    because: 'what drifts on one side alone looks like a change',
  },
  {
    name: 'latencies of a cache',
    hours: DAY,
    covers: 0.9,
    traffic: { per_hour: HALF, sigma: [1, 0.3], cached: 0.5 },
    because: 'two kinds of duration make the spread of a unit uneven',
  },
  {
    name: 'sessions of 20 runs, by time',
    hours: DAY,
    covers: 0.86,
    worse: 0.07,
    traffic: { per_hour: HALF, sessions: SESSIONS },
    because: 'blocks of time are narrower than five sessions; `cluster_by: session` is for this',
  },
  {
    name: 'sessions of 20 runs, by session',
    hours: DAY,
    policy: { cluster_by: 'session' },
    traffic: { per_hour: HALF, sessions: SESSIONS },
  },
  {
    name: '30 sessions of 20 runs, by session',
    hours: DAY,
    covers: 0.86,
    policy: { cluster_by: 'session' },
    traffic: { per_hour: steady(25, 25), sessions: SESSIONS },
    because: 'thirty sessions are few for an interval of skewed values',
  },
]

/** Failures end after a tenth of a second and cost next to nothing. */
const FAST = { fails_after_ms: 100 } as const
const RESCUES: readonly World[] = [
  ...[0.15, 0.3, 0.6].map((rate): World => ({
    name: `back from a release that fails in ${100 * rate} %`,
    hours: DAY,
    isRollback: true,
    changes: [0],
    claims: 'nothing',
    traffic: { per_hour: hour => (hour < 18 ? [0, 200] : [160, 0]), errors: [rate, 0.02], ...FAST },
    least: [[0, 'gate', 0.97]],
  })),
  ...[0.15, 0.3, 0.6].map((rate): World => ({
    name: `a fix next to a release that fails in ${100 * rate} %`,
    hours: DAY,
    changes: [0],
    claims: 'nothing',
    traffic: { per_hour: steady(120, 120), errors: [rate, 0.02], ...CALM, ...FAST },
    most: [
      [0, 'fails', 0.05, 'cost'],
      [0, 'fails', 0.05, 'latency'],
    ],
    least: [
      [0, 'passes', 0.9, 'cost'],
      [0, 'passes', 0.9, 'latency'],
    ],
  })),
  {
    name: 'a candidate that fails fast in 15 % and is dearer',
    hours: DAY,
    claims: 'nothing',
    traffic: { per_hour: steady(208, 208), errors: [0.02, 0.15], ...CALM, ...FAST },
    most: [
      [0.2, 'passes', 0.05, 'cost'],
      [0.2, 'passes', 0.05, 'latency'],
    ],
    least: [
      [0.2, 'fails', 0.9, 'cost'],
      [0.2, 'fails', 0.9, 'latency'],
    ],
  },
]

export const WORLD_GROUPS: Readonly<Record<string, readonly World[]>> = {
  'Releases that ran at the same times, or at others': WINDOWS,
  'Runs of minutes': [...LONG, ...STEPS],
  'Other tenants, tasks, batches and outages': SHIFTS,
  'One tenant alone': SEGMENTS,
  'Little traffic': SMALL,
  'Skewed values, and runs that depend on each other': SKEWED,
  'Releases that fail fast': RESCUES,
}
export const WORLDS: readonly World[] = Object.values(WORLD_GROUPS).flat()
