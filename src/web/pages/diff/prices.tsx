import type { DiffReport } from '../../../models/answers/diff.ts'
import { Changes, Row } from '../../components/changes.tsx'
import { Note } from '../../components/note.tsx'
import { Section } from '../../components/page.tsx'
import { RATES, rate, signed, usd } from '../../format.ts'

/** What both sides were priced with, and what to mind about it. */
export function Prices({ report: { pricing } }: { report: DiffReport }) {
  const { prices } = pricing
  const rows = [
    ['Provider', pricing.baseline_provider, pricing.candidate_provider],
    ['Price table', pricing.baseline_version, pricing.candidate_version],
    ['Model', pricing.baseline_model, pricing.candidate_model],
    ...RATES.map(
      ([label, name]) =>
        [`${label}, 1k tokens`, rate(prices[`baseline_${name}`]), rate(prices[`candidate_${name}`])] as const,
    ),
  ] as const
  return (
    <Section
      title="Pricing"
      aside={
        <span class="faint">
          {pricing.pricing_or_model_changed ? 'model or prices differ' : 'same model and prices'}
        </span>
      }
    >
      <Changes what="What" sides={['Baseline', 'Candidate']}>
        {rows.map(([name, baseline, candidate]) => (
          <Row key={name} name={name} cells={[baseline, candidate]} differs={baseline !== candidate} />
        ))}
      </Changes>
      {pricing.warnings.map(text => (
        <Note key={text}>
          <bdi>{text}</bdi>
        </Note>
      ))}
      {pricing.hints.map(text => (
        <Note key={text} tone="info">
          <bdi>{text}</bdi>
        </Note>
      ))}
      <Catalog catalog={pricing.catalog} />
    </Section>
  )
}

/** Both sides by the tariffs of comparable slots: what the change costs apart from the vendor's prices. */
function Catalog({ catalog }: { catalog: DiffReport['pricing']['catalog'] }) {
  const {
    enabled,
    catalog_version,
    baseline_cost_per_run_usd: before,
    candidate_cost_per_run_usd: after,
  } = catalog
  return (
    <>
      {enabled && (
        <p class="figures">
          By catalog <bdi>{catalog_version}</bdi>
          {before !== null && after !== null
            ? `: ${usd(before)} (${catalog.baseline_slot_id}) to ${usd(after)} (${catalog.candidate_slot_id}), ` +
              signed(catalog.delta_cost_per_run_usd ?? 0, usd)
            : ': no costs'}
        </p>
      )}
      {!enabled && catalog.warnings.length === 0 && <p class="faint">No pricing catalog is in use.</p>}
      {catalog.warnings.map(text => (
        <Note key={text}>
          <bdi>{text}</bdi>
        </Note>
      ))}
    </>
  )
}
