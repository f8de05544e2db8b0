import { type Bound, type Effort, type Section, share } from '../effort.ts'
import { percent, percents, table } from '../markdown.ts'
import { boundsOf } from './bounds.ts'
import { type Row, drawnRows, keptRows } from './kept.ts'
import { METRICS, type Seen, type World } from './seen.ts'
import { TIE_WORLDS, tiedIn } from './ties.ts'
import { WATCH_WORLDS, watchedIn } from './watches.ts'
import { WORLD_GROUPS } from './worlds.ts'

const CHANGES = [0, 0.2] as const
const LEAST_COMPARABLE = 0.01

/** Two releases by the run, summed as rollups do, and compared as a diff and a decision do. */
export async function worldSection(effort: Effort): Promise<Section> {
  const part = share(effort, 10)
  const rowIn = effort.kept === undefined ? drawnRows : keptRows(effort.kept)
  const bounds: Bound[] = []
  const tables: string[] = []
  for (const [title, worlds] of Object.entries(WORLD_GROUPS)) {
    const rows: string[][] = []
    for (const world of worlds) {
      for (const mean of world.changes ?? CHANGES) {
        const row = await rowIn(world, mean, part)
        bounds.push(...boundsOf(world, mean, row.seen))
        rows.push(rowOf(world, mean, row))
      }
    }
    const head = [
      '',
      'rise',
      'draws',
      'compared',
      'hold the truth',
      '`worse`',
      'pass',
      'fail',
      'all pass',
      'segments',
    ]
    tables.push(`### ${title}\n\n${table(head, rows)}${reasonsOf(worlds)}`)
  }
  return {
    bounds,
    text: `## Releases that ran at other times

Two releases by the run: each world makes runs, sums them as the rollups do and asks the rules that are shipped, as a diff and a
decision do. Unless a world says otherwise costs are log-normal with σ 1 and durations with σ 0.7, 3 % of the runs fail, levels move
by ±12 % over the day, 4 % from day to day and 5 % from hour to hour for both releases alike, and six tenants and four tasks share
the runs. Cost and duration rise by what the second column says, errors by a quarter of it in points. In percent of so many
draws, of cost / duration / errors: those that claim anything; intervals that hold the truth, of these; verdicts \`worse\`;
limits of +10 % / +10 % / +2 points that pass, and that fail; decisions that pass all; diffs that name a tenant or task. What is not
comparable neither holds the truth nor passes.

${tables.join('\n\n')}`,
  }
}

function rowOf({ name }: World, mean: number, { reps, seen }: Row): string[] {
  const of = (counted: keyof Seen['of']['cost']): string =>
    percents(METRICS.map(metric => seen.of[metric][counted]))
  const isCompared = METRICS.some(metric => seen.of[metric].comparable >= LEAST_COMPARABLE)
  return [
    name,
    mean === 0 ? '0' : `+${percent(mean)} %`,
    String(reps),
    of('comparable'),
    isCompared ? of('covers') : '–',
    of('worse'),
    of('passes'),
    of('fails'),
    percent(seen.gate),
    percent(seen.spots),
  ]
}

function reasonsOf(worlds: readonly World[]): string {
  const reasons = worlds.flatMap(({ name, because }) =>
    because === undefined ? [] : [`- ${name}: ${because}.`],
  )
  return reasons.length === 0 ? '' : `\n\nLess is claimed of:\n\n${reasons.join('\n')}`
}

const UNCHANGED = { mean: 0, errors: 0 } as const
const MOST_FALSE = 0.05

/** Watches under traffic whose level moves, of long runs, and of little traffic. */
export function watchWorldSection(effort: Effort): Section {
  const part = share(effort, 10)
  const bounds: Bound[] = []
  const rows = WATCH_WORLDS.map(world => {
    const { name, worse, least_found, most_false = MOST_FALSE } = world
    const [still, found] = [watchedIn(world, UNCHANGED, part), watchedIn(world, worse, part)]
    bounds.push({ of: `watch, ${name}: false alarms`, share: still.by_end, atMost: most_false })
    for (const key of ['within30', 'by_end'] as const) {
      const atLeast = least_found[key]
      if (atLeast !== undefined)
        bounds.push({ of: `watch, ${name}: found ${key}`, share: found[key], atLeast })
    }
    const rise = worse.mean > 0 ? `+${percent(worse.mean)} %` : `+${percent(worse.errors)} points of errors`
    return [
      name,
      percent(still.by_end, 1),
      percent(still.errors, 1),
      rise,
      percents([found.within30, found.by_end]),
    ]
  })
  return {
    bounds,
    text: `## Watches under traffic that moves

Watches of two hours against the same hours of seven earlier days, unless the release before is a day old, with a look every ten
minutes. In percent of ${part.reps}: false alarms, and those of errors, of an unchanged release (1.7 are allowed per metric); what
is worse, and found in 30 minutes / by the end.

${table(['', 'false alarms', 'of errors', 'worse', 'found'], rows)}`,
  }
}

/** Evaluations of few cases, most of which score the same. */
export function tieSection(effort: Effort): Section {
  const part = share(effort, 10)
  const bounds: Bound[] = []
  const rows = TIE_WORLDS.map(world => {
    const { name, limit, most_passes, least_passes } = world
    const { covers, worse, passes } = tiedIn(world, part)
    bounds.push({ of: `${name}: holds the truth`, share: covers, atLeast: 0.93 })
    if (most_passes !== undefined) bounds.push({ of: `${name}: passes`, share: passes, atMost: most_passes })
    if (least_passes !== undefined)
      bounds.push({ of: `${name}: passes`, share: passes, atLeast: least_passes })
    return [name, percent(covers), percent(worse), String(limit), percent(passes)]
  })
  return {
    bounds,
    text: `## Scores that tie

Cases that two releases are tried with, whose scores mostly stay. In percent of ${part.reps} comparisons: intervals that hold the
truth, \`worse\`, and limits on a drop that are passed.

${table(['', 'hold the truth', '`worse`', 'limit', 'pass'], rows)}`,
  }
}
