import { later } from '../../../web/components/later.tsx'
import type { PageFeature } from '../../../web/components/panels.tsx'

export const surface: PageFeature = {
  panels: {
    release: later(() => import('./may_do.tsx').then(module => module.MayDo)),
    changed: later(() => import('./power.tsx').then(module => module.Power)),
    blocked: later(() => import('./power.tsx').then(module => module.Blocked)),
  },
}
