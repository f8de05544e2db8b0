import { useState } from 'preact/hooks'
import type { PricingEntry, PricingSummary, PricingTable } from '../../models/documents/pricing.ts'
import { STALE_AFTER_DAYS, isStale } from '../../rules/cost.ts'
import { ModelPrices } from '../../rules/price_names.ts'
import { actorHeader, callApi } from '../api.ts'
import { useAttempt } from '../attempt.ts'
import { Badge } from '../ui/badge.tsx'
import { ChangeForm, Dialog } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { Note } from '../ui/note.tsx'
import { Section } from '../ui/page.tsx'
import { Loaded } from '../ui/states.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Raw, Time, Words } from '../ui/text.tsx'
import { RATES, rate } from '../format.ts'
import { useBoard, usePricing, usePricingTable, useRelease } from '../reads.ts'
import { change, hereWith, href, param } from '../route.ts'
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

/** The model of a release, its price table, and whether that prices the model. */
function usePriced(id: string) {
  const spec = useRelease(id).data?.artifact_json.spec
  const { provider = '', pricing_version = '' } = spec?.pricing_reference ?? {}
  const tables = usePricing().data?.pricing
  const isThere = tables?.some(
    table => table.provider === provider && table.pricing_version === pricing_version,
  )
  const table = usePricingTable(isThere === true ? provider : '', pricing_version).data
  const model = spec?.runtime.model ?? ''
  const isKnown = spec !== undefined && isThere !== undefined && (!isThere || table !== undefined)
  const entries = table?.entries ?? []
  return {
    model,
    provider,
    pricing_version,
    entries,
    isThere,
    isKnown,
    lacks: !new ModelPrices({ provider, entries }).has(model),
  }
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

const FIELDS = [
  ['Input', 'input_usd_per_1k_tokens', true],
  ['Output', 'output_usd_per_1k_tokens', true],
  ['Cached input', 'cached_input_usd_per_1k_tokens', false],
] as const

/** Adds what one model costs to the table that its release names. */
function AddPrice({ release }: { release: string }) {
  const { model, provider, pricing_version, entries, isThere, isKnown } = usePriced(release)
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({})
  const attempting = useAttempt()
  const close = (): void => change({ price_of: null })
  const isReady = FIELDS.every(([, name, isNeeded]) => (isNeeded ? (typed[name] ?? '') !== '' : true))

  async function send(): Promise<void> {
    const rates = Object.entries(typed).filter(([, text]) => text.trim() !== '')
    const entry = {
      model,
      cached_input_usd_per_1k_tokens: null,
      ...Object.fromEntries(rates.map(([name, text]) => [name, Number(text)])),
    }
    const table = { provider, pricing_version, entries: [...entries, entry as PricingEntry] }
    const replacing = isThere === true ? { replace: true, reason: `the price of ${model} was missing` } : {}
    await callApi({
      method: 'POST',
      path: 'v1/pricing',
      body: { table, ...replacing },
      headers: actorHeader(),
    })
    close()
  }

  return (
    <Dialog title="Add a price" onClose={close}>
      <ChangeForm
        label="Add the price"
        back="Cancel"
        isReady={isKnown && isReady}
        attempting={attempting}
        onBack={close}
        onSubmit={() => void attempting.attempt(send)}
      >
        <p>
          <strong>
            <Words>{model}</Words>
          </strong>{' '}
          in {provider} / <Words>{pricing_version}</Words>, US dollars per 1,000 tokens.
        </p>
        <div class="fields">
          {FIELDS.map(([label, name, isNeeded]) => (
            <Field key={name} label={isNeeded ? label : `${label}, if it differs`}>
              {id => (
                <input
                  id={id}
                  type="number"
                  min="0"
                  step="any"
                  size={10}
                  required={isNeeded}
                  value={typed[name] ?? ''}
                  onInput={event => setTyped({ ...typed, [name]: event.currentTarget.value })}
                />
              )}
            </Field>
          ))}
        </div>
        <p class="hint">Providers state prices per million tokens: divide those by 1,000.</p>
      </ChangeForm>
    </Dialog>
  )
}
