import { later } from '../../../web/components/later.tsx'
import type { Hit, PageFeature } from '../../../web/components/panels.tsx'
import type { Mark } from '../../../web/components/charts/series.ts'
import type { PolicyHistory } from '../models.ts'
import { get, useRead } from '../../../web/query.ts'
import { href } from '../../../web/route.ts'
import { nameOfPolicy, usePolicyHistory, usePriceHistory } from './reads.ts'

export const history: PageFeature = {
  panels: {
    policy: later(() => import('./history.tsx').then(module => module.History)),
    request: later(() => import('./history.tsx').then(module => module.PolicySince)),
  },
  useMarks,
  useHits,
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

/** Policies by who set them and why. */
function useHits(typed: string): { hits: readonly Hit[]; isLoading: boolean } {
  const known = useRead<PolicyHistory>(typed === '' ? null : get('v1/policy/history'))
  const wanted = typed.toLowerCase()
  const found = (known.data?.policies ?? []).filter(({ actor, reason }) =>
    `${actor} ${reason ?? ''}`.toLowerCase().includes(wanted),
  )
  const hits = found.slice(0, MOST_HITS).map(setting => ({
    kind: 'Policy',
    text: setting.reason ?? 'no reason given',
    about: `${nameOfPolicy(setting)}, by ${setting.actor}`,
    link: href('policy', { to: nameOfPolicy(setting) }),
  }))
  return { hits, isLoading: known.loading }
}

const MOST_HITS = 5
