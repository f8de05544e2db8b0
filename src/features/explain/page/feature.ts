import { later } from '../../../web/components/later.tsx'
import type { PageFeature } from '../../../web/components/panels.tsx'

export const explain: PageFeature = {
  panels: {
    action: later(() => import('./what_if.tsx').then(module => module.Again)),
    draft: later(() => import('./what_if.tsx').then(module => module.Tried)),
  },
}
