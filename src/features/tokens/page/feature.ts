import { later } from '../../../web/components/later.tsx'
import type { PageFeature } from '../../../web/components/panels.tsx'

export const tokens: PageFeature = {
  panels: { access: later(() => import('./tokens.tsx').then(module => module.Tokens)) },
}
