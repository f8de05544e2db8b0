import { later } from '../../../web/components/later.tsx'
import type { PageFeature } from '../../../web/components/panels.tsx'

export const evaluations: PageFeature = {
  pages: { suites: later(() => import('./suites.tsx').then(module => module.SuitesPage), 12) },
}
