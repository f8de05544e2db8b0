/** What a policy is for, and what its limits are derived from. */
export interface Template {
  /** In words. */
  readonly purpose: string
  /** Runs of each side that a decision takes where traffic is not known. */
  readonly runs: number
  /** For how many days a side takes all traffic until it is decided; undefined where traffic doesn't matter. */
  readonly days?: number
  /** Standard deviation of the cost of single runs by its mean, and of latency, that is assumed of unknown releases. */
  readonly variation: number
  /** The smallest rise that is limited: of a mean as a fraction, of the error rate as a difference. */
  readonly least: { readonly mean: number; readonly rate: number }
}

/** By the name that `--for` takes. `npm run calibrate -- templates` says how often releases pass. */
export const TEMPLATES = {
  ci: {
    purpose: 'trials of a pull request, in which both releases run at the same time',
    runs: 100,
    variation: 0.3,
    least: { mean: 0.15, rate: 0.05 },
  },
  canary: {
    purpose: 'a canary next to the live release',
    runs: 3_000,
    // A week in which both share the traffic.
    days: 3.5,
    variation: 1,
    least: { mean: 0.1, rate: 0.01 },
  },
  'low-traffic': {
    purpose: '20 to 200 runs a day, in which releases may follow one another',
    runs: 40,
    days: 2,
    variation: 1,
    least: { mean: 0.15, rate: 0.05 },
  },
} as const satisfies Record<string, Template>

export type TemplateName = keyof typeof TEMPLATES
export const TEMPLATE_NAMES = Object.keys(TEMPLATES) as TemplateName[]

/** Runs of each side that a decision takes at such traffic. */
export function runsOf({ days, runs }: Template, runsPerDay: number): number {
  return days === undefined ? runs : Math.max(TEMPLATES['low-traffic'].runs, Math.round(days * runsPerDay))
}

/** Runs of a release that carry a metric, their mean, and their standard deviation by it. */
export interface Measured {
  readonly runs: number
  readonly mean: number
  readonly variation: number
}

/** What is known of the runs of a release, by metric. */
export type Metrics = Readonly<Record<'cost' | 'latency' | 'errors', Measured>>

/** What is assumed of a release whose runs are not known. */
export function assumed({ runs, variation }: Template): Metrics {
  const mean = { runs, mean: 0, variation }
  return { cost: mean, latency: mean, errors: { runs, mean: 0.02, variation: 0 } }
}

/** From these on a limit on a change lets through what nobody wants. */
const MOST = { mean: 0.5, rate: 0.05 }

/** An unchanged release stays within so many standard errors of a limit on a change in 99 of 100 cases. */
const PROVABLE = 5
/** The same of an absolute limit, which no interval is compared with; more, as it also blocks rollbacks. */
const CHANCE = 3

/** The limit on a rise of a mean that this many runs a side can prove; undefined where it is too large to be one. */
export function riseLimit({ least }: Template, runs: number, { variation }: Measured): number | undefined {
  const limit = roundedUp(Math.max(least.mean, PROVABLE * variation * Math.sqrt(2 / runs)))
  return limit < MOST.mean ? limit : undefined
}

/** The same of the error rate. As the only limit on errors it is better large than left out. */
export function rateRiseLimit(
  { least }: Template,
  runs: number,
  errors: Measured,
  isOnlyOne: boolean,
): number | undefined {
  const limit = roundedUp(Math.max(least.rate, PROVABLE * deviationOf(errors) * Math.sqrt(2 / runs)))
  return isOnlyOne || limit < MOST.rate ? limit : undefined
}

/** By which fraction a mean of this many runs may lie above that of the live release. */
export function margin({ least }: Template, runs: number, live: Measured): number {
  return roundedUp(Math.max(least.mean, CHANCE * live.variation * Math.sqrt(1 / runs + 1 / live.runs)))
}

/** Standard normal quantile: 90 of 100 cases lie above its negative. */
const Z90 = 1.2816

/** The rise of a mean that `margin` blocks in 90 of 100 cases, as a fraction: Fieller's bound with both sides' errors. */
export function blockedRise(template: Template, runs: number, live: Measured): number {
  const limit = 1 + margin(template, runs, live)
  const [own, known] = [runs, live.runs].map(n => 1 - (Z90 * live.variation) ** 2 / n) as [number, number]
  return own <= 0 ? Infinity : (limit * (1 + Math.sqrt(1 - own * Math.max(known, 0)))) / own - 1
}

/** Which share of this many runs may fail. */
export function highestRate({ least }: Template, runs: number, live: Measured): number {
  const chance = CHANCE * deviationOf(live) * Math.sqrt(1 / runs + 1 / live.runs)
  return Math.min(1, roundedUp(live.mean + Math.max(least.rate, chance)))
}

/** Standard deviation of single runs that fail or don't; one of each is added, since no failure proves no rate of 0. */
function deviationOf({ runs, mean }: Measured): number {
  const rate = (mean * runs + 1) / (runs + 2)
  return Math.sqrt(rate * (1 - rate))
}

/** To whole percent. */
function roundedUp(fraction: number): number {
  return Math.ceil(Number((100 * fraction).toPrecision(9))) / 100
}
