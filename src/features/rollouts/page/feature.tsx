import { useMemo } from 'preact/hooks'
import type { BoardEntry } from '../../../models/answers/board.ts'
import type { Rollout } from '../models.ts'
import { later } from '../../../web/components/later.tsx'
import type { Concern, PageFeature, Ramp } from '../../../web/components/panels.tsx'
import { LOGGED_MS, MOVING_MS } from '../../../web/query.ts'
import { href, param } from '../../../web/route.ts'
import { rolloutSentence } from '../rules_sentence.ts'
import { Chip, Share } from './chip.tsx'
import { useNames, useRolloutOf, useRolloutRequests, useRollouts } from './reads.ts'
import { StartButton } from './start_button.tsx'

declare module '../../../web/route.ts' {
  interface Views {
    rollouts: unknown
    rollout: unknown
  }
}

export const rollouts: PageFeature = {
  pages: {
    rollouts: {
      Shown: later(() => import('./list.tsx').then(module => module.RolloutsPage), 12),
      title: 'Rollouts',
      icon: 'steps',
      key: 'o',
    },
    rollout: {
      Shown: later(() => import('./rollout.tsx').then(module => module.RolloutPage), 12),
      title: 'Rollout',
    },
  },
  beats: [
    [/^v1\/rollout-requests/, LOGGED_MS],
    [/^v1\/rollouts/, MOVING_MS],
  ],
  panels: {
    cell: Chip,
    decide: StartButton,
    dialog: Starting,
    approvals: later(() => import('./requests.tsx').then(module => module.Requests)),
  },
  useConcerns,
  useRamps,
  usePending: () => useRolloutRequests('pending').data?.requests.length ?? 0,
}

const StartDialog = later(() => import('./start.tsx').then(module => module.StartDialog))

function Starting() {
  return param('decide') === 'rollout' && param('decide_release') !== '' ? <StartDialog /> : null
}

function useRamps(agent: string): readonly Ramp[] {
  const known = useRollouts(agent === '' ? null : { agent }).data?.rollouts ?? []
  const name = useNames()
  return known.map(rollout => ({
    environment: rollout.environment,
    release_id: rollout.candidate_release_id,
    link: href('rollout', { id: rollout.rollout_id }),
    label: rolloutSentence(rollout, name, Date.now()),
    steps: rollout.steps.flatMap(({ share, started_at, ended_at }) =>
      started_at === null
        ? []
        : [
            {
              since: Date.parse(started_at),
              until: Date.parse(ended_at ?? rollout.ended_at ?? nowText()),
              share,
            },
          ],
    ),
  }))
}

const nowText = (): string => new Date().toISOString()

/** The most harmful first. */
function useConcerns(): readonly Concern[] {
  const rolloutOf = useRolloutOf()
  const requests = useRolloutRequests('pending').data?.requests
  return useMemo(() => {
    const isIn = (state: Rollout['state']) => (entry: BoardEntry) => rolloutOf(entry)?.state === state
    const goesWell = (entry: BoardEntry): boolean =>
      !['aborted', 'paused', undefined].includes(rolloutOf(entry)?.state)
    return [
      { harm: 'regresses', words: 'rollout aborted', has: isIn('aborted'), chip: Chip },
      { harm: 'regresses', words: 'rollout paused', has: isIn('paused'), chip: Chip, mark: Share },
      { harm: 'rolls out', words: 'rollout in force', has: goesWell, chip: Chip, mark: Share },
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
