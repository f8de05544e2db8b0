import type { PricingSummary, PricingTable } from '../../../models/documents/pricing.ts'
import { STALE_AFTER_DAYS, isStale } from '../../../rules/cost.ts'
import { Badge } from '../../components/badge.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Section } from '../../components/page.tsx'
import { Raw } from '../../components/raw.tsx'
import { Loaded } from '../../components/states.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Time, Words } from '../../components/text.tsx'
import { RATES, rate } from '../../format.ts'
import { usePricing, usePricingTable } from '../../reads.ts'
import { change, hereWith, param } from '../../route.ts'
import { AddPrice, MissingPrices } from './missing_price.tsx'
import { ImportPrices } from './import_prices.tsx'

/** The tables that runs are priced by. */
export function Prices() {
  const pricing = usePricing()
  return (
    <Section
      title="Price tables"
      aside={
        <button type="button" class="button small" onClick={() => change({ prices: 'import' })}>
          Import prices…
        </button>
      }
    >
      <MissingPrices />
      <Loaded known={pricing}>
        {({ pricing: tables }) =>
          tables.length === 0 ? (
            <p class="faint">None is imported: a diff needs one.</p>
          ) : (
            <Table
              caption="Price tables"
              columns={COLUMNS}
              rows={tables}
              keyOf={({ provider, pricing_version }) => JSON.stringify([provider, pricing_version])}
            />
          )
        }
      </Loaded>
      {param('price_of') !== '' && <AddPrice key={param('price_of')} release={param('price_of')} />}
      {param('prices') === 'import' && pricing.data !== undefined && (
        <ImportPrices tables={pricing.data.pricing} />
      )}
      {param('provider') !== '' && <TableDrawer provider={param('provider')} version={param('version')} />}
    </Section>
  )
}

const COLUMNS: readonly Column<PricingSummary>[] = [
  { label: 'Provider', cell: ({ provider }) => provider },
  {
    label: 'Version',
    kind: 'grow',
    cell: ({ provider, pricing_version }) => (
      <a href={hereWith({ provider, version: pricing_version })}>
        <Words>{pricing_version}</Words>
      </a>
    ),
  },
  { label: 'Models', kind: 'number', cell: ({ models }) => models },
  { label: 'Imported', cell: ({ imported_at }) => <Time at={imported_at} /> },
  { label: 'Age', cell: table => <Age table={table} /> },
]

/** Only what ships with the service goes stale: who imports a table of their own knows its age. */
function Age({ table: { bundled, age_days } }: { table: PricingSummary }) {
  if (!bundled) return <span class="faint">your own</span>
  if (!isStale(age_days, STALE_AFTER_DAYS)) return <>bundled, {age_days} days old</>
  return <Badge tone="warn">stale: {age_days === null ? 'of unknown age' : `${age_days} days old`}</Badge>
}

const ENTRY_COLUMNS: readonly Column<PricingTable['entries'][number]>[] = [
  { label: 'Model', cell: ({ model }) => model },
  ...RATES.map(([label, name]): Column<PricingTable['entries'][number]> => ({
    label,
    kind: 'number',
    cell: entry => rate(entry[name]),
  })),
]

function TableDrawer({ provider, version }: { provider: string; version: string }) {
  const table = usePricingTable(provider, version)
  return (
    <Dialog
      title={<Words>{`${provider} / ${version}`}</Words>}
      kind="drawer"
      onClose={() => change({ provider: null, version: null })}
    >
      <p class="faint">US dollars per 1,000 tokens.</p>
      <Loaded known={table} lines={6}>
        {current => (
          <>
            <Table
              caption="Prices"
              columns={ENTRY_COLUMNS}
              rows={current.entries}
              keyOf={entry => entry.model}
            />
            <Raw value={current} />
          </>
        )}
      </Loaded>
    </Dialog>
  )
}
