import { later } from '../../../web/components/later.tsx'
import type { PageFeature } from '../../../web/components/panels.tsx'

export const capabilities: PageFeature = {
  panels: {
    release: later(() => import('./capabilities.tsx').then(module => module.Capabilities)),
    changed: later(() => import('./power.tsx').then(module => module.Power)),
    blocked: later(() => import('./power.tsx').then(module => module.Blocked)),
  },
}
