import type { Rollout } from '../../../models/answers/rollout.ts'
import { ROLLOUT_STATES } from '../../../models/names.ts'
import { Select } from '../../../web/components/field.tsx'
import { PageHead } from '../../../web/components/page.tsx'
import { Place, PlaceFilters, ReleaseId } from '../../../web/components/place.tsx'
import { Empty, Loaded } from '../../../web/components/states.tsx'
import { type Column, Table } from '../../../web/components/table.tsx'
import { Time, Words } from '../../../web/components/text.tsx'
import { change, href, param } from '../../../web/route.ts'
import { isOpen, leftText, stepText } from '../rules_sentence.ts'
import { shareText } from '../rules_steps.ts'
import { useRollouts } from './reads.ts'
import { StartButton } from './start.tsx'
import { RolloutState } from './state.tsx'

const LIMIT = 100

/** Releases that were tried on a share of the traffic, newest first. */
export function RolloutsPage() {
  const [agent, env, state] = [param('agent'), param('env'), param('state')]
  const isFiltered = agent !== '' || env !== '' || state !== ''
  return (
    <>
      <PageHead title="Rollouts" about="Two releases in the same hours, users split by chance, step by step.">
        {agent !== '' && env !== '' && <StartButton agent={agent} environment={env} />}
      </PageHead>
      <div class="fields pickers">
        <PlaceFilters />
        <Select
          label="State"
          value={state}
          onChange={value => change({ state: value })}
          options={[['', 'any'], ...ROLLOUT_STATES]}
        />
      </div>
      <Loaded known={useRollouts({ agent, env, state, limit: LIMIT })}>
        {({ rollouts }) =>
          rollouts.length === 0 ? (
            <Empty title={isFiltered ? 'No rollout is like that' : 'No rollouts yet'}>
              <p class="faint">
                A diff, and the page of a release, start one: a share of the users gets it, and proven harm aborts it.
              </p>
            </Empty>
          ) : (
            <>
              <Table caption="Rollouts" columns={COLUMNS} rows={rollouts} keyOf={row => row.rollout_id} />
              {rollouts.length === LIMIT && <p class="faint">The newest {LIMIT}; filter for older ones.</p>}
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
    label: 'What came of it',
    kind: 'grow',
    cell: rollout => {
      if (rollout.because !== null) return <Words>{rollout.because}</Words>
      if (rollout.ended_at !== null) return <>promoted <Time at={rollout.ended_at} /></>
      return <span class="faint">{leftText(rollout, Date.now())}</span>
    },
  },
]
