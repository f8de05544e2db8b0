import { useMemo } from 'preact/hooks'
import type { BoardEntry } from '../../../models/answers/board.ts'
import type { Rollout } from '../../../models/answers/rollout.ts'
import type { Concern, PageFeature } from '../../../web/components/panels.tsx'
import { Chip } from './chip.tsx'
import { RolloutsPage } from './list.tsx'
import { useRolloutOf, useRolloutRequests } from './reads.ts'
import { Requests } from './requests.tsx'
import { RolloutPage } from './rollout.tsx'
import { StartButton, StartDialog } from './start.tsx'

export const rollouts: PageFeature = {
  pages: { rollouts: RolloutsPage, rollout: RolloutPage },
  panels: { cell: Chip, decide: StartButton, dialog: StartDialog, approvals: Requests },
  useConcerns,
  usePending: () => useRolloutRequests('pending').data?.requests.length ?? 0,
}

/** The most harmful first. */
function useConcerns(): readonly Concern[] {
  const rolloutOf = useRolloutOf()
  const requests = useRolloutRequests('pending').data?.requests
  return useMemo(() => {
    const isIn = (state: Rollout['state']) => (entry: BoardEntry) => rolloutOf(entry)?.state === state
    return [
      { harm: 'regresses', words: 'rollout aborted', has: isIn('aborted'), chip: Chip },
      { harm: 'regresses', words: 'rollout paused', has: isIn('paused'), chip: Chip },
      {
        harm: 'waits',
        words: 'rollout waits for approval',
        has: ({ agent_id, environment }) =>
          (requests ?? []).some(
            request => request.agent_id === agent_id && request.environment === environment,
          ),
      },
    ]
  }, [rolloutOf, requests])
}
