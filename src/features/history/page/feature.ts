import { later } from '../../../web/components/later.tsx'
import type { PageFeature } from '../../../web/components/panels.tsx'
import type { Mark } from '../../../web/components/charts/series.ts'
import { nameOfPolicy, usePolicyHistory } from './reads.ts'

export const history: PageFeature = {
  panels: {
    policy: later(() => import('./history.tsx').then(module => module.History)),
    request: later(() => import('./history.tsx').then(module => module.PolicySince)),
  },
  useMarks,
}

function useMarks(): readonly Mark[] {
  const policies = usePolicyHistory('').data?.policies ?? []
  return policies.map(set => ({
    at: Date.parse(set.created_at),
    label: `policy ${nameOfPolicy(set)} set, by ${set.actor}`,
    kind: 'policy',
  }))
}
