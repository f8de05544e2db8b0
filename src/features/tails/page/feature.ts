import { later } from '../../../web/components/later.tsx'
import type { PageFeature } from '../../../web/components/panels.tsx'

export const tails: PageFeature = {
  panels: { numbers: later(() => import('./tails.tsx').then(module => module.Tails)) },
}
