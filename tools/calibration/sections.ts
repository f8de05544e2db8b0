import { clusterSection, coverageSection, quantileSection } from './coverage_sections.ts'
import { decisionSection, movedSection, pollingSection } from './decision_sections.ts'
import type { Effort, Section } from './effort.ts'
import { evaluationSection } from './evaluation_sections.ts'
import { powerSection, watchSection } from './power_sections.ts'
import { rolloutSection } from './rollout_section.ts'
import { templateSection } from './templates.ts'
import { tickSection } from './tick_sections.ts'
import { strataWorldSection, unclaimedSection, watchWorldSection, worldSection } from './world_sections.ts'

/** The parts of the report, in its order. */
export const SECTIONS: Readonly<Record<string, (effort: Effort) => Section>> = {
  coverage: coverageSection,
  clusters: clusterSection,
  percentiles: quantileSection,
  decisions: decisionSection,
  worlds: worldSection,
  strata: strataWorldSection,
  moved: movedSection,
  polling: pollingSection,
  power: powerSection,
  templates: templateSection,
  evaluations: evaluationSection,
  watch: watchSection,
  watch_ticks: tickSection,
  watch_worlds: watchWorldSection,
  rollouts: rolloutSection,
  unclaimed: unclaimedSection,
}
