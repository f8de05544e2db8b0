import { useState } from 'preact/hooks'
import type { TestedWebhook, Webhook } from '../../../models/answers/webhook.ts'
import { whyNoChanges } from '../../access.ts'
import { callApi } from '../../api.ts'
import { useAttempt } from '../../attempt.ts'
import { Badge } from '../../components/badge.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Sure } from '../../components/sure.tsx'
import { Loaded } from '../../components/states.tsx'
import { Facts } from '../../components/table.tsx'
import { Id } from '../../components/text.tsx'
import { milliseconds } from '../../format.ts'
import { Failure } from '../../components/note.tsx'
import { FORMATS } from './add.tsx'
import { Deliveries } from './deliveries.tsx'
import { useDeliveries } from './reads.ts'

/** One webhook: its deliveries, a test, and its removal. */
export function WebhookDrawer({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const { webhook_id, url } = webhook
  const path = `v1/webhooks/${encodeURIComponent(webhook_id)}`
  const deliveries = useDeliveries(webhook_id)
  const { problem, attempt } = useAttempt()
  const [tested, setTested] = useState<TestedWebhook | undefined>(undefined)
  const off = whyNoChanges.value !== undefined

  const test = (): Promise<void> =>
    attempt(async () => setTested(await callApi<TestedWebhook>({ method: 'POST', path: `${path}/test` })))
  const replayAll = (ids: readonly string[]): Promise<void> =>
    attempt(async () => {
      for (const id of ids) {
        await callApi({ method: 'POST', path: `v1/webhook-deliveries/${encodeURIComponent(id)}/replay` })
      }
    })
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
      <h3>Deliveries</h3>
      <Loaded known={deliveries}>
        {({ deliveries: all }) =>
          all.length === 0 ? (
            <p class="faint">Nothing was sent yet.</p>
          ) : (
            <Deliveries deliveries={all} onReplay={ids => void replayAll(ids)} />
          )
        }
      </Loaded>
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
