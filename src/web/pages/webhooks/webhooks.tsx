import { useState } from 'preact/hooks'
import type { Delivery, Webhook } from '../../../models/answers/webhook.ts'
import { whyNoChanges } from '../../access.ts'
import { Badge } from '../../components/badge.tsx'
import { PageHead } from '../../components/page.tsx'
import { Empty, Loaded } from '../../components/states.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Time, Words } from '../../components/text.tsx'
import { change, hereWith, param } from '../../route.ts'
import { AddWebhook, FORMATS } from './add.tsx'
import { TONES } from './deliveries.tsx'
import { WebhookDrawer } from './drawer.tsx'
import { type Outcome, outcomeOf } from './outcome.ts'
import { useAllDeliveries, useWebhooks } from './reads.ts'

/** Who is told of decisions. */
export function WebhooksPage() {
  const webhooks = useWebhooks()
  const deliveries = useAllDeliveries().data?.deliveries
  const [isAdding, setAdding] = useState(false)
  const open = webhooks.data?.webhooks.find(({ webhook_id }) => webhook_id === param('webhook'))
  return (
    <>
      <PageHead title="Webhooks" about="Who is told of decisions, signed so that they can tell it was us.">
        <button
          type="button"
          class="button primary"
          title={whyNoChanges.value}
          onClick={() => setAdding(true)}
        >
          Add a webhook…
        </button>
      </PageHead>
      <Loaded known={webhooks}>
        {({ webhooks: all }) =>
          all.length === 0 ? (
            <Empty title="No webhooks yet">
              <p>Add one to hear of promotions, rollbacks and blocked attempts.</p>
            </Empty>
          ) : (
            <Table
              caption="Webhooks"
              columns={columnsWith(deliveries)}
              rows={all}
              keyOf={webhook => webhook.webhook_id}
            />
          )
        }
      </Loaded>
      {isAdding && <AddWebhook onClose={() => setAdding(false)} />}
      {open !== undefined && <WebhookDrawer webhook={open} onClose={() => change({ webhook: null })} />}
    </>
  )
}

function columnsWith(deliveries: readonly Delivery[] | undefined): Column<Webhook>[] {
  return [
    {
      label: 'Sent to',
      kind: 'grow',
      cell: ({ url, webhook_id, description }) => (
        <div class="stack">
          <a href={hereWith({ webhook: webhook_id })}>
            <Words>{url}</Words>
          </a>
          {description !== null && (
            <span class="faint">
              <Words>{description}</Words>
            </span>
          )}
        </div>
      ),
    },
    {
      label: 'Deliveries',
      cell: ({ webhook_id, enabled }) =>
        enabled ? (
          <Deliveries outcome={deliveries === undefined ? undefined : outcomeOf(webhook_id, deliveries)} />
        ) : (
          <Badge tone="plain">off</Badge>
        ),
    },
    { label: 'Sent as', minor: true, cell: ({ format = 'json' }) => FORMATS[format] },
    { label: 'Events', cell: ({ events }) => events.join(', ') },
    { label: 'Secret', minor: true, cell: ({ secret_preview }) => <code>{secret_preview}</code> },
    { label: 'Added', minor: true, cell: ({ created_at }) => <Time at={created_at} /> },
  ]
}

/** The last result, and how many of the newest deliveries were taken. */
function Deliveries({ outcome }: { outcome: Outcome | undefined }) {
  if (outcome === undefined) return <span class="faint">not known yet</span>
  const { last, ended, taken } = outcome
  if (last === undefined) return <span class="faint">nothing sent yet</span>
  return (
    <div class="stack">
      <span>
        <Badge tone={TONES[last.status]}>
          {last.status === 'failed' ? `failed: ${last.response_code ?? 'no answer'}` : last.status}
        </Badge>{' '}
        <span class="faint">
          <Time at={last.created_at} />
        </span>
      </span>
      {ended > 0 && (
        <span class="success figures">
          <span class="share-bar" aria-hidden="true">
            <span class="better" style={{ width: `${(taken / ended) * 100}%` }} />
          </span>
          {taken} of {ended} taken
        </span>
      )}
    </div>
  )
}
