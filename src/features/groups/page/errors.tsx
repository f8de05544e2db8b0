import type { DiffGroups } from '../../../models/answers/groups.ts'
import { Badge } from '../../../web/components/badge.tsx'
import { Loaded } from '../../../web/components/states.tsx'
import { type Column, Table } from '../../../web/components/table.tsx'
import { Words } from '../../../web/components/text.tsx'
import { type Format, count, signed } from '../../../web/format.ts'
import { useRead } from '../../../web/query.ts'
import { type Comparing, beat, isWhole, pairOf } from '../../../web/reads.ts'
import { href } from '../../../web/route.ts'

/** How the service calls what is no error, and an error without a type. */
const [NO_ERROR, NO_TYPE] = ['(no error)', '(error without a type)']

/** A type of error, and how many of 1,000 runs ended with it. */
interface Row {
  readonly type: string
  readonly baseline: number
  readonly candidate: number
  readonly baselineRuns: number
  readonly candidateRuns: number
}

/** Errors by type, how often before and now: those that are new or rose most first. */
export function Errors({ comparing }: { comparing: Comparing }) {
  const body = { ...pairOf(comparing), by: 'error', metric: 'error_rate' }
  const call = { method: 'POST', path: 'v1/diff/groups', body } as const
  const known = useRead<DiffGroups>(isWhole(comparing) ? call : null, beat(comparing, 60_000))
  return (
    <Loaded known={known}>
      {({ groups }) => {
        const rows = rowsOf(groups)
        return rows.length === 0 ? (
          <p class="faint">No run of either release failed.</p>
        ) : (
          <>
            <p class="faint">Of 1,000 runs; the number of runs is behind each.</p>
            <Table
              caption="Errors by type"
              columns={columnsFor(comparing)}
              rows={rows}
              keyOf={({ type }) => type}
            />
          </>
        )
      }}
    </Loaded>
  )
}

function rowsOf(groups: DiffGroups['groups']): Row[] {
  const all = (side: 'baseline_runs' | 'candidate_runs'): number =>
    groups.reduce((sum, group) => sum + group[side], 0) || 1
  const [before, after] = [all('baseline_runs'), all('candidate_runs')]
  return groups
    .filter(({ key }) => key !== NO_ERROR)
    .map(({ key, baseline_runs, candidate_runs }) => ({
      type: key ?? 'others',
      baseline: (1000 * baseline_runs) / before,
      candidate: (1000 * candidate_runs) / after,
      baselineRuns: baseline_runs,
      candidateRuns: candidate_runs,
    }))
    .sort((a, b) => b.candidate - b.baseline - (a.candidate - a.baseline))
}

const perThousand: Format = value => value.toFixed(value >= 100 ? 0 : 1)

function columnsFor(comparing: Comparing): readonly Column<Row>[] {
  const { environment: env, window, tenant, task } = comparing
  // The list of runs ends now, so that an older window has no link.
  const linkOf = (release: string, type: string): string =>
    href('runs', {
      release,
      env,
      window,
      tenant,
      task,
      outcome: 'failed',
      error: type === NO_TYPE ? '' : type,
    })
  const cell = (release: string, type: string, rate: number, runs: number) => (
    <>
      {perThousand(rate)}{' '}
      {runs > 0 && !comparing.until ? (
        <a href={linkOf(release, type)} aria-label={`${count(runs)} runs with ${type}`}>
          ({count(runs)})
        </a>
      ) : (
        <span class="faint">({count(runs)})</span>
      )}
    </>
  )
  return [
    {
      label: 'Error type',
      kind: 'grow',
      cell: ({ type, baselineRuns, candidateRuns }) => (
        <span>
          <Words>{type}</Words> {baselineRuns === 0 && candidateRuns > 0 && <Badge tone="warn">new</Badge>}
          {candidateRuns === 0 && <Badge tone="ok">gone</Badge>}
        </span>
      ),
    },
    {
      label: 'Baseline',
      kind: 'number',
      cell: ({ type, baseline, baselineRuns }) => cell(comparing.baseline, type, baseline, baselineRuns),
    },
    {
      label: 'Candidate',
      kind: 'number',
      cell: ({ type, candidate, candidateRuns }) => cell(comparing.candidate, type, candidate, candidateRuns),
    },
    {
      label: 'Change',
      kind: 'number',
      cell: ({ baseline, candidate }) => signed(candidate - baseline, perThousand),
    },
  ]
}
