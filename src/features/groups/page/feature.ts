import { later } from '../../../web/components/later.tsx'
import type { PageFeature } from '../../../web/components/panels.tsx'

export const groups: PageFeature = {
  panels: {
    verdict: later(() => import('./groups.tsx').then(module => module.MainGroup)),
    difference: later(() => import('./groups.tsx').then(module => module.Where)),
  },
}
