import { useState } from 'preact/hooks'
import type { CreatedWebhook, TestedWebhook, Webhook } from '../../models/answers/webhook.ts'
import { WEBHOOK_EVENTS, WEBHOOK_FORMATS, type WebhookFormat } from '../../models/names.ts'
import { whyNoChanges } from '../access.ts'
import { Badge } from '../ui/badge.tsx'
import { Check, Choice, Text } from '../ui/field.tsx'
import { Section } from '../ui/page.tsx'
import { Secret } from '../ui/secret.tsx'
import { Empty, Loaded } from '../ui/states.tsx'
import { type Column, Facts, Table } from '../ui/table.tsx'
import { Id, Time, Words } from '../ui/text.tsx'
import { change, hereWith, param } from '../route.ts'
import { Answer, Delivered, DeliveriesOf } from './deliveries.tsx'
import { useWebhooks } from '../reads.ts'
import { callApi } from '../api.ts'
import { useAttempt } from '../attempt.ts'
import { ChangeForm, Dialog, Sure } from '../ui/dialog.tsx'
import { Failure, Note } from '../ui/note.tsx'
import { Button } from '../ui/button.tsx'

/** Who gets announcements of decisions. */
export function Webhooks() {
  const webhooks = useWebhooks()
  const isAdding = param('add') !== ''
  const setAdding = (is: boolean): void => change({ add: is ? 'webhook' : null })
  const open = webhooks.data?.webhooks.find(({ webhook_id }) => webhook_id === param('webhook'))
  return (
    <>
      <Section
        title="Who hears of decisions, each message signed"
        aside={
          <Button kind="primary" changes onClick={() => setAdding(true)}>
            Add a webhook…
          </Button>
        }
      >
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
      </Section>
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
    cell: webhook => (webhook.enabled ? <Delivered webhook={webhook} /> : <Badge tone="plain">off</Badge>),
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
        <Button disabled={off} onClick={() => void test()}>
          Send a test
        </Button>
        <Sure label="Remove…" sure="Remove it and its deliveries" onSure={() => void remove()} />
      </div>
      {tested !== undefined && (
        <Note tone="info" role="status">
          <Badge tone={tested.status === 'delivered' ? 'ok' : 'bad'}>{tested.status}</Badge>
          <Answer delivery={tested} />
        </Note>
      )}
      <DeliveriesOf webhook={webhook} />
    </Dialog>
  )
}

/** All that happens by itself; a test.ping is sent by hand. */
const EVENTS = WEBHOOK_EVENTS.filter(event => event !== 'test.ping')

/** Adds a webhook; its secret is shown this once. */
function AddWebhook({ onClose }: { onClose: () => void }) {
  const [url, setUrl] = useState('')
  const [description, setDescription] = useState('')
  const [format, setFormat] = useState<WebhookFormat>('json')
  const [events, setEvents] = useState<readonly string[]>(EVENTS)
  const [created, setCreated] = useState<CreatedWebhook | undefined>(undefined)

  async function add(): Promise<void> {
    const about = description.trim()
    const body = {
      url,
      events,
      ...(format === 'json' ? {} : { format }),
      ...(about === '' ? {} : { description: about }),
    }
    setCreated(await callApi<CreatedWebhook>({ method: 'POST', path: 'v1/webhooks', body }))
  }

  if (created !== undefined) {
    return (
      <Secret
        secret={created.secret}
        note="Verify deliveries with it. If you lose it, remove the webhook and add it again."
        onClose={onClose}
      >
        Deliveries to <bdi>{created.url}</bdi> are signed with
      </Secret>
    )
  }
  return (
    <Dialog title="Add a webhook" onClose={onClose}>
      <ChangeForm label="Add" isReady={events.length > 0} isNamed={false} onBack={onClose} send={add}>
        <Text
          label="URL"
          kind="field wide"
          type="url"
          required
          placeholder="https://hooks.example.com/releases"
          value={url}
          onChange={setUrl}
        />
        <Choice
          label="Sent as"
          value={format}
          options={WEBHOOK_FORMATS.map(name => [name, FORMATS[name]])}
          onChange={setFormat}
        />
        {format !== 'json' && (
          <p class="hint">
            A message for a chat. Whoever has its URL can write there, so lists show only the host.
          </p>
        )}
        <fieldset class="field">
          <legend>Events</legend>
          {EVENTS.map(event => (
            <Check
              key={event}
              checked={events.includes(event)}
              onChange={checked =>
                setEvents(checked ? [...events, event] : events.filter(other => other !== event))
              }
            >
              {event}
            </Check>
          ))}
        </fieldset>
        <Text
          label="What it is for"
          kind="field wide"
          maxLength={400}
          value={description}
          onChange={setDescription}
        />
      </ChangeForm>
    </Dialog>
  )
}

const FORMATS = { json: 'JSON', slack: 'Slack', teams: 'Teams' } as const
