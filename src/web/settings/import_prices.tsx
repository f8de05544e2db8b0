import { useState } from 'preact/hooks'
import type { PricingEntry, PricingSummary, PricingTable } from '../../models/documents/pricing.ts'
import { jsonOf } from '../../base/text.ts'
import { oddPrices } from '../../rules/cost.ts'
import { ModelPrices } from '../../rules/price_names.ts'
import { actorHeader, callApi } from '../api.ts'
import { Reasons } from '../ui/badge.tsx'
import { Changes, Row } from '../ui/changes.tsx'
import { ChangeForm, Dialog } from '../ui/dialog.tsx'
import { Field, Text } from '../ui/field.tsx'
import { RATES, rate } from '../format.ts'
import { usePricing, usePricingTable, useRelease } from '../reads.ts'
import { change, param } from '../route.ts'
import { Words } from '../ui/text.tsx'

/** The model of a release, its price table, and whether that prices the model. */
export function usePriced(id: string) {
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
    isKnown,
    lacks: !new ModelPrices({ provider, entries }).has(model),
  }
}

/**
 * Imports a price table that is written here or chosen as a file, next to the one that it replaces or follows. Where the
 * address names a release, it begins with the table of that, and its model.
 */
export function ImportPrices({ tables }: { tables: readonly PricingSummary[] }) {
  const newest = newestOf(tables)
  const latest = usePricingTable(newest?.provider ?? '', newest?.pricing_version ?? '').data
  const { model, isKnown: isRead, entries, lacks, ...lacking } = usePriced(param('price_of'))
  const added = { model, cached_input_usd_per_1k_tokens: null } as PricingEntry
  const known =
    param('price_of') === ''
      ? latest
      : isRead
        ? { ...lacking, entries: lacks ? [...entries, added] : entries }
        : undefined
  const [typed, setTyped] = useState<string | undefined>(undefined)
  const [why, setReason] = useState<string | undefined>(undefined)
  const reason = why ?? (model && lacks ? `the price of ${model} was missing` : '')
  const text = typed ?? (known === undefined ? '' : textOf(known))
  const table = tableOf(text)
  const ofProvider = tables.filter(({ provider }) => provider === table?.provider)
  const replaced = ofProvider.find(({ pricing_version }) => pricing_version === table?.pricing_version)
  const before = replaced ?? newestOf(ofProvider)
  const compared = usePricingTable(before?.provider ?? '', before?.pricing_version ?? '').data
  const changes = table === undefined ? [] : differences(compared?.entries ?? [], table.entries)
  const isKnown = before === undefined || compared !== undefined
  const close = (): void => change({ prices: null, price_of: null })

  async function send(): Promise<void> {
    const body = { table, replace: replaced !== undefined, reason: reason.trim() || null }
    await callApi({ method: 'POST', path: 'v1/pricing', body, headers: actorHeader() })
    close()
  }

  return (
    <Dialog title="Import prices" kind="drawer" onClose={close}>
      <ChangeForm
        label="Import"
        isReady={
          table !== undefined &&
          isKnown &&
          (replaced === undefined || (changes.length > 0 && reason.trim() !== ''))
        }
        onBack={close}
        send={send}
      >
        <Field label="From a file" kind="field wide">
          {id => (
            <input
              id={id}
              type="file"
              accept=".json"
              onChange={event => void event.currentTarget.files?.[0]?.text().then(setTyped)}
            />
          )}
        </Field>
        {table !== undefined && <Rates table={table} onChange={changed => setTyped(textOf(changed))} />}
        <details class="raw" open={text !== '' && table === undefined}>
          <summary>Advanced: the table as JSON</summary>
          <Text
            label="Price table"
            kind="field wide"
            rows={10}
            hint="JSON with provider, pricing_version and entries; svc pricing import takes YAML and the lists of others too."
            value={text}
            onChange={setTyped}
          />
        </details>
        {table !== undefined && isKnown && (
          <div role="status">
            <h3>{replaced === undefined ? 'What is new' : 'What it replaces'}</h3>
            {changes.length === 0 ? (
              <p class="faint">No price differs.</p>
            ) : (
              <Changes what="Price" sides={[before?.pricing_version ?? 'before', table.pricing_version]}>
                {changes.map(([name, ...cells]) => (
                  <Row key={name} name={name} cells={cells} differs />
                ))}
              </Changes>
            )}
          </div>
        )}
        {table !== undefined && <Reasons reasons={[]} warnings={isWhole(table) ? oddPrices(table) : []} />}
        {replaced !== undefined && (
          <Text label="Why it is replaced" kind="field wide" required value={reason} onChange={setReason} />
        )}
      </ChangeForm>
    </Dialog>
  )
}

/** The rates of a table as fields, with the name of its version. */
function Rates({ table, onChange }: { table: PricingTable; onChange: (table: PricingTable) => void }) {
  const set = (model: string, key: (typeof RATES)[number][1], text: string): void => {
    const entries = table.entries.map(entry =>
      entry.model === model ? { ...entry, [key]: text === '' ? null : Number(text) } : entry,
    )
    onChange({ ...table, entries })
  }
  return (
    <>
      <Text
        label="Version"
        value={table.pricing_version}
        onChange={version => onChange({ ...table, pricing_version: version.trim() })}
      />
      <p class="hint">US dollars per 1,000 tokens</p>
      <div class="numbers">
        <Changes what="USD per 1,000 tokens" sides={RATES.map(([label]) => label)}>
          {table.entries.map(entry => (
            <Row
              key={entry.model}
              name={<Words>{entry.model}</Words>}
              cells={RATES.map(([label, key]) => (
                <input
                  type="number"
                  min="0"
                  step="any"
                  aria-label={`${label} of ${entry.model}`}
                  value={entry[key] ?? ''}
                  onChange={event => set(entry.model, key, event.currentTarget.value)}
                />
              ))}
            />
          ))}
        </Changes>
      </div>
    </>
  )
}

const newestOf = (tables: readonly PricingSummary[]): PricingSummary | undefined =>
  tables.toSorted((a, b) => (a.imported_at < b.imported_at ? 1 : -1))[0]

/** What a table begins as: an earlier one, but not where that came from. */
const textOf = ({ provider, pricing_version, entries }: PricingTable): string =>
  JSON.stringify({ provider, pricing_version, entries }, null, 2)

/** The table that a text is, as far as it can be compared; the service knows what else it has to be. */
function tableOf(text: string): PricingTable | undefined {
  const table = jsonOf(text) as Partial<PricingTable> | null | undefined
  return table?.provider && table.pricing_version && Array.isArray(table.entries)
    ? (table as PricingTable)
    : undefined
}

/** Whether nothing is left to type. */
const isWhole = ({ entries }: PricingTable): boolean =>
  entries.every(
    entry =>
      typeof entry?.input_usd_per_1k_tokens === 'number' &&
      typeof entry.output_usd_per_1k_tokens === 'number',
  )

/** The rates that differ, by model. */
function differences(
  before: readonly PricingEntry[],
  after: readonly PricingEntry[],
): (readonly [name: string, before: string, after: string])[] {
  const models = new Set([...before, ...after].map(entry => entry?.model))
  return [...models].flatMap(model => {
    const [old, now] = [before, after].map(entries => entries.find(entry => entry?.model === model))
    return RATES.map(
      ([label, key]) => [`${model}, ${label.toLowerCase()}`, rateOf(old?.[key]), rateOf(now?.[key])] as const,
    ).filter(([, was, is]) => was !== is)
  })
}

/** What was typed may be no number. */
const rateOf = (value: unknown): string =>
  typeof value === 'number' ? rate(value) : value == null ? 'none' : JSON.stringify(value)
