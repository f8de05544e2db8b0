import { useMemo } from 'preact/hooks'
import type { Watch } from '../models.ts'
import { later } from '../../../web/components/later.tsx'
import type { Mark } from '../../../web/components/charts/series.ts'
import type { Concern, PageFeature } from '../../../web/components/panels.tsx'
import { MOVING_MS } from '../../../web/query.ts'
import { href } from '../../../web/route.ts'
import { Regressed, WatchIt, useWatches } from './live.tsx'

declare module '../../../web/route.ts' {
  interface Views {
    watches: unknown
  }
}

export const watch: PageFeature = {
  pages: {
    watches: {
      Shown: later(() => import('./watches.tsx').then(module => module.WatchesPage), 12),
      title: 'Watches',
      icon: 'eye',
      key: 't',
    },
  },
  beats: [[/^v1\/watches/, MOVING_MS]],
  panels: { decided: WatchIt },
  useConcerns,
  useMarks,
}

function useConcerns(): readonly Concern[] {
  const regressed = useWatches({ state: 'regressed' }).data?.watches
  return useMemo(
    () => [
      {
        harm: 'regresses' as const,
        words: 'regressed in its watch',
        chip: Regressed,
        has: ({ promoted, environment }) =>
          (regressed ?? []).some(
            ({ release_id, environment: where }) =>
              release_id === promoted?.release_id && where === environment,
          ),
      },
    ],
    [regressed],
  )
}

function useMarks(agent: string, env: string): readonly Mark[] {
  const watches = useWatches(agent === '' ? null : { agent, env }).data?.watches ?? []
  return watches.flatMap(marksOf)
}

function marksOf({ watch_id, started_at, started_by, ended_at, state }: Watch): Mark[] {
  const link = href('watches', { watch: watch_id })
  const start: Mark = {
    at: Date.parse(started_at),
    label: `watch started, by ${started_by}`,
    kind: 'watch',
    link,
  }
  if (ended_at === null) return [start]
  return [
    start,
    { at: Date.parse(ended_at), label: `watch ended: ${state.replace('_', ' ')}`, kind: 'watch', link },
  ]
}
