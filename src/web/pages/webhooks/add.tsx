import { useId, useState } from 'preact/hooks'
import type { CreatedWebhook } from '../../../models/answers/webhook.ts'
import { WEBHOOK_EVENTS, WEBHOOK_FORMATS, type WebhookFormat } from '../../../models/names.ts'
import { whyNoChanges } from '../../access.ts'
import { useAttempt } from '../../attempt.ts'
import { Dialog } from '../../components/dialog.tsx'
import { Icon } from '../../components/icon.tsx'
import { Segments } from '../../components/field.tsx'
import { CopyButton } from '../../components/text.tsx'
import { Failure } from '../../components/failure.tsx'

/** All that happens by itself; a test.ping is sent by hand. */
const EVENTS = WEBHOOK_EVENTS.filter(event => event !== 'test.ping')

/** Adds a webhook; its secret is shown this once. */
export function AddWebhook({ onClose }: { onClose: () => void }) {
  const [url, setUrl] = useState('')
  const [description, setDescription] = useState('')
  const [format, setFormat] = useState<WebhookFormat>('json')
  const [events, setEvents] = useState<readonly string[]>(EVENTS)
  const [created, setCreated] = useState<CreatedWebhook | undefined>(undefined)
  const { problem, isSending, send } = useAttempt()
  const id = useId()

  function add(): void {
    const about = description.trim()
    const body = {
      url,
      events,
      ...(format === 'json' ? {} : { format }),
      ...(about === '' ? {} : { description: about }),
    }
    void send<CreatedWebhook>({ method: 'POST', path: 'v1/webhooks', body }, setCreated)
  }

  if (created !== undefined) return <Secret created={created} onClose={onClose} />
  return (
    <Dialog title="Add a webhook" onClose={onClose}>
      <form
        class="decision"
        onSubmit={event => {
          event.preventDefault()
          add()
        }}
      >
        <div class="field wide">
          <label for={`${id}-url`}>URL</label>
          <input
            id={`${id}-url`}
            type="url"
            required
            placeholder="https://hooks.example.com/releases"
            value={url}
            onInput={event => setUrl(event.currentTarget.value)}
          />
        </div>
        <div class="field">
          <span class="label">Sent as</span>
          <Segments
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
        </div>
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
        <div class="field wide">
          <label for={`${id}-about`}>What it is for</label>
          <input
            id={`${id}-about`}
            maxLength={400}
            value={description}
            onInput={event => setDescription(event.currentTarget.value)}
          />
        </div>
        <Failure message={problem || (whyNoChanges.value ?? '')} />
        <footer>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button
            type="submit"
            class="button primary"
            disabled={isSending || events.length === 0 || whyNoChanges.value !== undefined}
          >
            Add
          </button>
        </footer>
      </form>
    </Dialog>
  )
}

export const FORMATS = { json: 'JSON', slack: 'Slack', teams: 'Teams' } as const

function Secret({ created: { secret, url }, onClose }: { created: CreatedWebhook; onClose: () => void }) {
  return (
    <Dialog title="Keep this secret" onClose={onClose}>
      <p class="note warn">
        <Icon name="warn" />
        <span>
          It is shown this once. Verify deliveries with it; without it, remove the webhook and add it anew.
        </span>
      </p>
      <p>
        Deliveries to <bdi>{url}</bdi> are signed with
      </p>
      <p class="command">
        <code>{secret}</code>
        <CopyButton text={secret} what="the secret" label="Copy" />
      </p>
      <footer>
        <button type="button" class="button primary" onClick={onClose}>
          I have kept it
        </button>
      </footer>
    </Dialog>
  )
}
