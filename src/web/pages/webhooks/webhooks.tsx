import { useState } from 'preact/hooks'
import type { Webhook } from '../../../models/answers/webhook.ts'
import { whyNoChanges } from '../../access.ts'
import { Badge } from '../../components/badge.tsx'
import { PageHead } from '../../components/page.tsx'
import { Empty, Loaded } from '../../components/states.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Id, Time, Words } from '../../components/text.tsx'
import { change, hereWith, param } from '../../route.ts'
import { AddWebhook } from './add.tsx'
import { WebhookDrawer } from './drawer.tsx'
import { useWebhooks } from './reads.ts'

/** Who is told of decisions. */
export function WebhooksPage() {
  const webhooks = useWebhooks()
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
      <Loaded known={webhooks} lines={4}>
        {({ webhooks: all }) =>
          all.length === 0 ? (
            <Empty title="No webhooks yet">
              <p>Add one to hear of promotions, rollbacks and blocked attempts.</p>
            </Empty>
          ) : (
            <Table caption="Webhooks" columns={COLUMNS} rows={all} keyOf={webhook => webhook.webhook_id} />
          )
        }
      </Loaded>
      {isAdding && <AddWebhook onClose={() => setAdding(false)} />}
      {open !== undefined && <WebhookDrawer webhook={open} onClose={() => change({ webhook: null })} />}
    </>
  )
}

const COLUMNS: readonly Column<Webhook>[] = [
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
  { label: 'Events', cell: ({ events }) => events.join(', ') },
  {
    label: 'State',
    cell: ({ enabled }) => <Badge tone={enabled ? 'ok' : 'plain'}>{enabled ? 'enabled' : 'off'}</Badge>,
  },
  { label: 'Secret', cell: ({ secret_preview }) => <code>{secret_preview}</code> },
  { label: 'Added', cell: ({ created_at }) => <Time at={created_at} /> },
  { label: 'Webhook', cell: ({ webhook_id }) => <Id value={webhook_id} /> },
]
