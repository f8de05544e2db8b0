import { useMemo } from 'preact/hooks'
import type { BoardEntry } from '../../../models/answers/board.ts'
import type { Rollout } from '../../../models/answers/rollout.ts'
import { later } from '../../../web/components/later.tsx'
import type { Concern, PageFeature } from '../../../web/components/panels.tsx'
import { param } from '../../../web/route.ts'
import { Chip } from './chip.tsx'
import { useRolloutOf, useRolloutRequests } from './reads.ts'
import { StartButton } from './start_button.tsx'

export const rollouts: PageFeature = {
  pages: {
    rollouts: later(() => import('./list.tsx').then(module => module.RolloutsPage), 12),
    rollout: later(() => import('./rollout.tsx').then(module => module.RolloutPage), 12),
  },
  panels: {
    cell: Chip,
    decide: StartButton,
    dialog: Starting,
    approvals: later(() => import('./requests.tsx').then(module => module.Requests)),
  },
  useConcerns,
  usePending: () => useRolloutRequests('pending').data?.requests.length ?? 0,
}

const StartDialog = later(() => import('./start.tsx').then(module => module.StartDialog))

function Starting() {
  return param('decide') === 'rollout' && param('decide_release') !== '' ? <StartDialog /> : null
}

/** The most harmful first. */
function useConcerns(): readonly Concern[] {
  const rolloutOf = useRolloutOf()
  const requests = useRolloutRequests('pending').data?.requests
  return useMemo(() => {
    const isIn = (state: Rollout['state']) => (entry: BoardEntry) => rolloutOf(entry)?.state === state
    return [
      { words: 'rollout aborted', has: isIn('aborted') },
      { words: 'rollout paused', has: isIn('paused') },
      {
        words: 'rollout waits for approval',
        has: ({ agent_id, environment }) =>
          (requests ?? []).some(
            request => request.agent_id === agent_id && request.environment === environment,
          ),
      },
    ]
  }, [rolloutOf, requests])
}
