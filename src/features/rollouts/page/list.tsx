import type { Rollout } from '../models.ts'
import { PageHead } from '../../../web/components/page.tsx'
import { Place, PlaceFilters, ReleaseId } from '../../../web/components/place.tsx'
import { Empty, Loaded } from '../../../web/components/states.tsx'
import { type Column, Table } from '../../../web/components/table.tsx'
import { Time, Words } from '../../../web/components/text.tsx'
import { href, param } from '../../../web/route.ts'
import { isOpen, leftText, stepText } from '../rules_sentence.ts'
import { shareText } from '../../../base/text.ts'
import { MOST, useRollouts } from './reads.ts'
import { RolloutState } from './chip.tsx'

/** Releases that were tried on a share of the traffic, newest first. */
export function RolloutsPage() {
  const [agent, env] = [param('agent'), param('env')]
  return (
    <>
      <PageHead
        title="Rollouts"
        about="Two releases in the same hours, users split by chance, step by step."
      />
      <div class="fields pickers">
        <PlaceFilters />
      </div>
      <Loaded known={useRollouts({ agent, env })}>
        {({ rollouts }) =>
          rollouts.length === 0 ? (
            <Empty title="No rollouts">
              <p class="faint">
                A diff, and the page of a release, start one: a share of the users gets it, and proven harm
                aborts it.
              </p>
            </Empty>
          ) : (
            <>
              <Table caption="Rollouts" columns={COLUMNS} rows={rollouts} keyOf={row => row.rollout_id} />
              {rollouts.length === MOST && <p class="faint">The newest {MOST}; filter for older ones.</p>}
            </>
          )
        }
      </Loaded>
    </>
  )
}

const COLUMNS: readonly Column<Rollout>[] = [
  { label: 'Agent', cell: rollout => <Place place={rollout} isMain /> },
  {
    label: 'State',
    cell: ({ state, rollout_id }) => (
      <a href={href('rollout', { id: rollout_id })} aria-label={`${state}: ${rollout_id}`}>
        <RolloutState state={state} />
      </a>
    ),
  },
  { label: 'Release', cell: ({ candidate_release_id }) => <ReleaseId id={candidate_release_id} /> },
  {
    label: 'Share',
    cell: rollout => (
      <span class="figures">
        {rollout.share === null ? <span class="faint">no split</span> : shareText(rollout.share)}
        {isOpen(rollout) && <span class="faint">, {stepText(rollout)}</span>}
      </span>
    ),
  },
  {
    label: 'Since',
    cell: ({ started_at, started_by }) => (
      <>
        <Time at={started_at} /> by <Words>{started_by}</Words>
      </>
    ),
  },
  {
    label: 'The result of the review',
    kind: 'grow',
    cell: rollout =>
      rollout.because ?? (rollout.ended_at === null ? leftText(rollout, Date.now()) : 'promoted'),
  },
]
