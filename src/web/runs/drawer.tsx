import type { StoredEvent } from '../../models/documents/stored_event.ts'
import { Badge } from '../ui/badge.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { ReleaseId } from '../ui/place.tsx'
import { Facts } from '../ui/table.tsx'
import { ExactTime, Id, Raw, Words } from '../ui/text.tsx'
import { count, counted, milliseconds, usd } from '../format.ts'
import { href } from '../route.ts'

/** One run, whole. */
export function RunDrawer({
  event,
  cost,
  onClose,
}: {
  event: StoredEvent
  cost?: number | null
  onClose: () => void
}) {
  const { metrics, usage, request, labels } = event
  const { model } = usage
  const around = (name: string, value: string | null | undefined) =>
    value == null ? null : (
      <Id
        value={value}
        link={href('runs', {
          release: event.release_id,
          env: event.environment,
          window: '30d',
          [name]: value,
        })}
      />
    )
  return (
    <Dialog title="Run" kind="drawer" onClose={onClose}>
      <p class="verdict-line">
        <Badge tone={metrics.success ? 'ok' : 'bad'}>{metrics.success ? 'success' : 'failed'}</Badge>
        {metrics.error_type !== null && <Words>{metrics.error_type}</Words>}
      </p>
      <Facts
        facts={{
          Run: <Id value={event.run_id} />,
          When: <ExactTime at={event.timestamp} />,
          Type: event.type,
          Cost: cost === undefined ? null : cost === null ? 'no price' : usd(cost),
          ...(metrics.ttft_ms === undefined ? {} : { 'First token': milliseconds(metrics.ttft_ms) }),
          Latency: metrics.latency_ms === null ? 'none' : milliseconds(metrics.latency_ms),
          Model: `${model.provider} / ${model.model}`,
          'Input tokens': count(model.input_tokens),
          'Output tokens': count(model.output_tokens),
          'Cached input': count(model.cached_input_tokens),
          Release: <ReleaseId id={event.release_id} />,
          Agent: event.agent_id,
          Environment: event.environment,
          Tenant: event.tenant_id,
          Task: event.task_id,
          Trace: around('trace', request?.trace_id),
          Session: around('session', request?.session_id),
          Span: around('span', request?.span_id),
          Tools: listed(usage.tools.map(tool => `${tool.tool_name}: ${counted(tool.invocations, 'call')}`)),
          Labels: listed(Object.entries(labels).map(([key, value]) => `${key}: ${value}`)),
        }}
      />
      <Raw value={event} />
    </Dialog>
  )
}

const listed = (texts: readonly string[]) =>
  texts.length === 0 ? null : (
    <div class="stack">
      {texts.map(text => (
        <Words key={text}>{text}</Words>
      ))}
    </div>
  )
