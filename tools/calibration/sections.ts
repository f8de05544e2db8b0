import { clusterSection, coverageSection, quantileSection } from './coverage_sections.ts'
import { decisionSection, movedSection, pollingSection } from './decision_sections.ts'
import type { Effort, Section } from './effort.ts'
import { evaluationSection } from './evaluation_sections.ts'
import { powerSection, watchSection } from './power_sections.ts'
import { rolloutSection } from './rollout_section.ts'
import { templateSection } from './templates.ts'
import { tickSection } from './tick_sections.ts'
import { unclaimedSection } from './unclaimed.ts'
import { tieSection, watchWorldSection, worldSection } from './world/sections.ts'

/** The parts of the report, in its order. */
export const SECTIONS: Readonly<Record<string, (effort: Effort) => Section | Promise<Section>>> = {
  coverage: coverageSection,
  clusters: clusterSection,
  percentiles: quantileSection,
  decisions: decisionSection,
  worlds: worldSection,
  moved: movedSection,
  polling: pollingSection,
  power: powerSection,
  templates: templateSection,
  evaluations: evaluationSection,
  ties: tieSection,
  watch: watchSection,
  watch_ticks: tickSection,
  watch_worlds: watchWorldSection,
  rollouts: rolloutSection,
  unclaimed: unclaimedSection,
}
