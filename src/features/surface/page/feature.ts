import type { PageFeature } from '../../../web/components/panels.tsx'
import { MayDo } from './may_do.tsx'
import { Blocked, Power } from './power.tsx'

export const surface: PageFeature = { panels: { release: MayDo, changed: Power, blocked: Blocked } }
