import { useState } from 'preact/hooks'
import type { Webhook, TestedWebhook } from '../../../models/answers/webhook.ts'
import { whyNoChanges } from '../../access.ts'
import { Badge } from '../../components/badge.tsx'
import { PageHead } from '../../components/page.tsx'
import { Empty, Loaded } from '../../components/states.tsx'
import { Sure } from '../../components/sure.tsx'
import { type Column, Table, Facts } from '../../components/table.tsx'
import { Time, Words, Id } from '../../components/text.tsx'
import { change, hereWith, param } from '../../route.ts'
import { AddWebhook, FORMATS } from './add.tsx'
import { Panel } from '../../components/panels.tsx'
import { useWebhooks } from '../../reads.ts'
import { callApi } from '../../api.ts'
import { useAttempt } from '../../attempt.ts'
import { Dialog } from '../../components/dialog.tsx'
import { milliseconds } from '../../format.ts'
import { Failure } from '../../components/note.tsx'

/** Who gets announcements of decisions. */
export function WebhooksPage() {
  const webhooks = useWebhooks()
  const isAdding = param('add') !== ''
  const setAdding = (is: boolean): void => change({ add: is ? 'webhook' : null })
  const open = webhooks.data?.webhooks.find(({ webhook_id }) => webhook_id === param('webhook'))
  return (
    <>
      <PageHead title="Webhooks" about="Who hears of decisions, each message signed.">
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
  {
    label: 'Deliveries',
    cell: webhook =>
      webhook.enabled ? <Panel slot="delivered" webhook={webhook} /> : <Badge tone="plain">off</Badge>,
  },
  { label: 'Sent as', minor: true, cell: ({ format = 'json' }) => FORMATS[format] },
  { label: 'Events', cell: ({ events }) => events.join(', ') },
  { label: 'Secret', minor: true, cell: ({ secret_preview }) => <code>{secret_preview}</code> },
  { label: 'Added', minor: true, cell: ({ created_at }) => <Time at={created_at} /> },
]

/** One webhook: a test, its removal, and what features know of it. */
function WebhookDrawer({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const { webhook_id, url } = webhook
  const path = `v1/webhooks/${encodeURIComponent(webhook_id)}`
  const { problem, attempt } = useAttempt()
  const [tested, setTested] = useState<TestedWebhook | undefined>(undefined)
  const off = whyNoChanges.value !== undefined

  const test = (): Promise<void> =>
    attempt(async () => setTested(await callApi<TestedWebhook>({ method: 'POST', path: `${path}/test` })))
  const remove = (): Promise<void> =>
    attempt(async () => {
      await callApi({ method: 'DELETE', path })
      onClose()
    })

  return (
    <Dialog title="Webhook" kind="drawer" onClose={onClose}>
      <Facts
        facts={{
          'Sent to': url,
          Webhook: <Id value={webhook_id} />,
          'Sent as': FORMATS[webhook.format ?? 'json'],
          Events: webhook.events.join(', '),
          Secret: <code>{webhook.secret_preview}</code>,
        }}
      />
      <Failure message={problem || (whyNoChanges.value ?? '')} />
      <div class="actions">
        <button type="button" class="button" disabled={off} onClick={() => void test()}>
          Send a test
        </button>
        <Sure label="Remove…" sure="Remove it and its deliveries" onSure={() => void remove()} />
      </div>
      {tested !== undefined && <TestResult tested={tested} />}
      <Panel slot="webhook" webhook={webhook} />
    </Dialog>
  )
}

function TestResult({
  tested: { status, response_code, duration_ms, response_text, problem },
}: {
  tested: TestedWebhook
}) {
  return (
    <div class="note info" role="status">
      <div>
        <p>
          <Badge tone={status === 'delivered' ? 'ok' : 'bad'}>{status}</Badge> {response_code ?? 'no answer'},{' '}
          {milliseconds(duration_ms)}
        </p>
        {problem !== null && (
          <p>
            <bdi>{problem}</bdi>
          </p>
        )}
        {response_text !== null && <pre class="excerpt">{response_text}</pre>}
      </div>
    </div>
  )
}
