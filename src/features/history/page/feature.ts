import { later } from '../../../web/components/later.tsx'
import type { PageFeature } from '../../../web/components/panels.tsx'
import type { Mark } from '../../../web/components/charts/series.ts'
import { href } from '../../../web/route.ts'
import { nameOfPolicy, usePolicyHistory, usePriceHistory } from './reads.ts'

export const history: PageFeature = {
  panels: {
    policy: later(() => import('./history.tsx').then(module => module.History)),
    request: later(() => import('./history.tsx').then(module => module.PolicySince)),
  },
  useMarks,
}

function useMarks(): readonly Mark[] {
  const policies = usePolicyHistory('').data?.policies ?? []
  const imports = usePriceHistory().data?.imports ?? []
  return [
    ...policies.map((set): Mark => ({
      at: Date.parse(set.created_at),
      label: `policy ${nameOfPolicy(set)} set, by ${set.actor}`,
      kind: 'policy',
      link: href('policy'),
    })),
    ...imports.map(({ provider, pricing_version, created_at, actor }): Mark => ({
      at: Date.parse(created_at),
      label: `prices ${provider} ${pricing_version} imported, by ${actor}`,
      kind: 'price',
      link: href('policy', { provider, version: pricing_version }),
    })),
  ]
}
