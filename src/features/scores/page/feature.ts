import { later } from '../../../web/components/later.tsx'
import type { PageFeature } from '../../../web/components/panels.tsx'

declare module '../../../web/route.ts' {
  interface Views {
    suites: unknown
  }
}

export const evaluations: PageFeature = {
  pages: {
    suites: {
      Shown: later(() => import('./suites.tsx').then(module => module.SuitesPage), 12),
      title: 'Evaluations',
      icon: 'checklist',
    },
  },
}
