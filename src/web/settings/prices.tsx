import type { PricingSummary, PricingTable } from '../../models/documents/pricing.ts'
import { STALE_AFTER_DAYS, isStale } from '../../rules/cost.ts'
import { Badge } from '../ui/badge.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Note } from '../ui/note.tsx'
import { Section } from '../ui/page.tsx'
import { Loaded } from '../ui/states.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Raw, Time, Words } from '../ui/text.tsx'
import { RATES, rate } from '../format.ts'
import { useBoard, usePricing, usePricingTable } from '../reads.ts'
import { change, hereWith, href, param } from '../route.ts'
import { ImportPrices, usePriced } from './import_prices.tsx'
import { Button } from '../ui/button.tsx'

/** The tables that runs are priced by. */
export function Prices() {
  const pricing = usePricing()
  return (
    <Section
      title="Price tables"
      aside={
        <Button kind="small" onClick={() => change({ prices: 'import' })}>
          Import prices…
        </Button>
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
      {(param('prices') === 'import' || param('price_of') !== '') && pricing.data !== undefined && (
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

interface Lacking {
  readonly agent_id: string
  readonly environment: string
  readonly release_id: string
  readonly version: string | null
}

/** Releases that can't be priced: a diff with one is refused. Each leads to the prices that it lacks. */
function MissingPrices() {
  const lacking = (useBoard().data?.board ?? []).flatMap(
    ({ agent_id, environment, promoted, newest_release }): Lacking[] =>
      [
        ...(newest_release?.unpriced === true || newest_release?.unusable !== undefined
          ? [newest_release]
          : []),
        ...(promoted?.unusable !== undefined && promoted.release_id !== newest_release?.release_id
          ? [promoted]
          : []),
      ].map(({ release_id, version }) => ({ agent_id, environment, release_id, version })),
  )
  return (
    <>
      {lacking.map(one => (
        <Lacks key={one.release_id + one.environment} {...one} />
      ))}
    </>
  )
}

function Lacks({ agent_id, environment, release_id, version }: Lacking) {
  const { model, provider, pricing_version, isKnown, lacks } = usePriced(release_id)
  if (!isKnown || !lacks) return null
  return (
    <Note>
      <strong>Without prices</strong>:{' '}
      <a href={href('place', { release: release_id })}>
        <Words>{`${agent_id} ${version ?? ''}`}</Words>
      </a>{' '}
      for <Words>{environment}</Words>. {provider} / <Words>{pricing_version}</Words> has no price of{' '}
      <Words>{model}</Words>, so a diff is refused.{' '}
      <a href={hereWith({ price_of: release_id })}>Add the price…</a>
    </Note>
  )
}
