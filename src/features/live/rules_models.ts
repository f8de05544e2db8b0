import { counted } from '../../base/text.ts'
import { LEAST_OF_HOUR } from './rules_live.ts'

/** Runs that another model has to answer, and which share of all: a name that is mistyped once is no finding. */
const [LEAST_RUNS, LEAST_SHARE] = [3, 0.01]

/** How many runs of a release a model answered that it does not declare, by hours back from now. */
export interface AnsweredBy {
  /** Empty for all names beyond those that are counted by name. */
  readonly name: string
  readonly last_hour: number
  readonly last_day: number
}

/** The model that answered most runs of those that the release does not declare. */
export interface OtherModel {
  readonly model: string
  /** The runs that it answered, of how many, in so many hours back from now. */
  readonly runs: number
  readonly of: number
  readonly hours: number
}

/**
 * The model that answered in place of what the release declares. The last hour says so, or the last day where the hour has few
 * runs; `runsIn` says how many runs came in so many hours.
 */
export function otherModelOf(
  answered: readonly AnsweredBy[],
  runsIn: (hours: number) => number,
): OtherModel | undefined {
  const hours = runsIn(1) < LEAST_OF_HOUR ? 24 : 1
  const of = runsIn(hours)
  return answered
    .map(({ name, ...runs }) => ({
      model: name,
      runs: hours === 1 ? runs.last_hour : runs.last_day,
      of,
      hours,
    }))
    .filter(({ runs }) => runs >= LEAST_RUNS && runs >= LEAST_SHARE * of)
    .toSorted((a, b) => b.runs - a.runs)[0]
}

/** The same as a sentence: `gpt-4.1-mini answered 12 of 60 runs of the last hour, and the release does not declare it`. */
export function otherModelText({ model, runs, of, hours }: OtherModel): string {
  const span = hours === 1 ? 'the last hour' : `the last ${hours} hours`
  return `${model || 'another model'} answered ${runs} of ${counted(of, 'run')} of ${span}, and the release does not declare it`
}
