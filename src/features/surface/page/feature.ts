import type { PageFeature } from '../../../web/components/panels.tsx'
import { MayDo } from './may_do.tsx'
import { Power } from './power.tsx'

export const surface: PageFeature = { panels: { release: MayDo, changed: Power } }
