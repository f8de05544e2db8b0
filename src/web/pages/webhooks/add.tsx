import { useState } from 'preact/hooks'
import type { CreatedWebhook } from '../../../models/answers/webhook.ts'
import { WEBHOOK_EVENTS, WEBHOOK_FORMATS, type WebhookFormat } from '../../../models/names.ts'
import { callApi } from '../../api.ts'
import { useAttempt } from '../../attempt.ts'
import { ChangeForm, Dialog } from '../../components/dialog.tsx'
import { Choice, Field } from '../../components/field.tsx'
import { Secret } from '../../components/secret.tsx'

/** All that happens by itself; a test.ping is sent by hand. */
const EVENTS = WEBHOOK_EVENTS.filter(event => event !== 'test.ping')

/** Adds a webhook; its secret is shown this once. */
export function AddWebhook({ onClose }: { onClose: () => void }) {
  const [url, setUrl] = useState('')
  const [description, setDescription] = useState('')
  const [format, setFormat] = useState<WebhookFormat>('json')
  const [events, setEvents] = useState<readonly string[]>(EVENTS)
  const [created, setCreated] = useState<CreatedWebhook | undefined>(undefined)
  const attempting = useAttempt()

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
        note="Verify deliveries with it; without it, remove the webhook and add it anew."
        onClose={onClose}
      >
        Deliveries to <bdi>{created.url}</bdi> are signed with
      </Secret>
    )
  }
  return (
    <Dialog title="Add a webhook" onClose={onClose}>
      <ChangeForm
        label="Add"
        back="Cancel"
        isReady={events.length > 0}
        isNamed={false}
        attempting={attempting}
        onBack={onClose}
        onSubmit={() => void attempting.attempt(add)}
      >
        <Field label="URL" kind="field wide">
          {id => (
            <input
              id={id}
              type="url"
              required
              placeholder="https://hooks.example.com/releases"
              value={url}
              onInput={event => setUrl(event.currentTarget.value)}
            />
          )}
        </Field>
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
            <label key={event} class="check">
              <input
                type="checkbox"
                checked={events.includes(event)}
                onChange={({ currentTarget: { checked } }) =>
                  setEvents(checked ? [...events, event] : events.filter(other => other !== event))
                }
              />
              {event}
            </label>
          ))}
        </fieldset>
        <Field label="What it is for" kind="field wide">
          {id => (
            <input
              id={id}
              maxLength={400}
              value={description}
              onInput={event => setDescription(event.currentTarget.value)}
            />
          )}
        </Field>
      </ChangeForm>
    </Dialog>
  )
}

export const FORMATS = { json: 'JSON', slack: 'Slack', teams: 'Teams' } as const
